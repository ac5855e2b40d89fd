// The schedules under each other as one picture, as they stand in the dialog, at twice the size.
import type { Palette } from "../timeline/palette";

const RATIO = 2;
const MARGIN = 16;

export function stackPng(body: HTMLElement, { plain, font }: Palette): Promise<Blob | null> {
  const parts = [...body.querySelectorAll<HTMLElement>(".stack-axis, .stack-entry")];
  const origin = body.querySelector(".stack-entry")?.getBoundingClientRect();
  const axis = body.querySelector(".stack-axis")?.getBoundingClientRect();
  if (!origin || !axis) return Promise.resolve(null);
  const height = parts.reduce((sum, part) => sum + part.getBoundingClientRect().height + MARGIN, MARGIN);
  const canvas = document.createElement("canvas");
  canvas.width = (origin.width + 2 * MARGIN) * RATIO;
  canvas.height = height * RATIO;
  const g = canvas.getContext("2d") as CanvasRenderingContext2D;
  g.scale(RATIO, RATIO);
  g.fillStyle = plain.surface;
  g.fillRect(0, 0, origin.width + 2 * MARGIN, height);
  g.textBaseline = "middle";
  let top = MARGIN;
  for (const part of parts) {
    const box = part.getBoundingClientRect();
    // The axis sticks while the rest scrolls, so each part is placed anew, one below the other.
    const at = (node: Element): [number, number, number, number] => {
      const own = node.getBoundingClientRect();
      return [own.left - origin.left + MARGIN, own.top - box.top + top, own.width, own.height];
    };
    for (const image of part instanceof HTMLCanvasElement ? [part] : part.querySelectorAll("canvas")) {
      g.drawImage(image, ...at(image));
    }
    for (const text of part.querySelectorAll<HTMLElement>("figcaption strong, figcaption > span, .stack-ranks li")) {
      const [x, y, , h] = at(text);
      const { fontSize, fontWeight } = getComputedStyle(text);
      g.font = `${fontWeight} ${fontSize} ${font}`;
      g.fillStyle = text.closest(".stack-ranks") ? plain["text-muted"] : plain.text;
      g.fillText(text.textContent ?? "", x, y + h / 2);
    }
    top += box.height + MARGIN;
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
