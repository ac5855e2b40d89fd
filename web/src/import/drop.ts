// Files dropped anywhere on the page.
import { later } from "../text/later";
import { openFiles } from "./open";
import "../styles/drop.css";

const carriesFile = (event: DragEvent): boolean => [...(event.dataTransfer?.types ?? [])].includes("Files");

export function wireDrop(): void {
  const place = document.createElement("div");
  place.className = "drop-place";
  const words = document.createElement("p");
  words.textContent = later.open.drop;
  place.append(words);
  let leaving = 0;

  // Every element on the way sends its own "leave": the sign goes when none has been passed for a while.
  const hide = (after: number) => {
    clearTimeout(leaving);
    leaving = window.setTimeout(() => place.remove(), after);
  };
  document.addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    if (!place.isConnected) document.body.append(place);
    hide(300);
  });
  document.addEventListener(
    "drop",
    (event) => {
      if (!carriesFile(event)) return;
      event.preventDefault();
      event.stopPropagation();
      hide(0);
      void openFiles([...(event.dataTransfer?.files ?? [])]);
    },
    { capture: true },
  );
}
