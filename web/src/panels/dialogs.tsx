// All dialogs, in one chunk that is fetched when the first of them opens.
import { Gallery } from "../gallery/gallery";
import { Learn } from "../lesson/learn";
import { Share } from "../share/dialog";
import * as s from "../state/store";
import { Help } from "./help";
import { Lazy } from "./lazy";
import { Picker } from "./picker";
import { Stacked } from "./stacked";
import { Table } from "./table";
import "../styles/dialogs.css";
import "../styles/panels.css";

const loadMeasured = () => import("../import/dialog").then((m) => m.Measured);

export function Dialogs() {
  switch (s.dialog.value) {
    case "gallery":
      return <Gallery />;
    case "learn":
      return <Learn />;
    case "share":
      return <Share />;
    case "help":
      return <Help />;
    case "table":
      return <Table />;
    case "picker":
      return <Picker />;
    case "stacked":
      return <Stacked />;
    case "measured":
      return <Lazy load={loadMeasured} />;
    default:
      return null;
  }
}
