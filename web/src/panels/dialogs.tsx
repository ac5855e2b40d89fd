// All dialogs, in one chunk that is fetched when the first of them opens.
import { Gallery } from "../gallery/gallery";
import { Share } from "../share/dialog";
import * as s from "../state/store";
import { Help } from "./help";
import { Table } from "./table";
import "../styles/dialogs.css";

export function Dialogs() {
  switch (s.dialog.value) {
    case "gallery":
      return <Gallery />;
    case "share":
      return <Share />;
    case "help":
      return <Help />;
    case "table":
      return <Table />;
    default:
      return null;
  }
}
