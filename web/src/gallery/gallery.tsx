// Scenarios that run, as cards with a picture of their run. Loading one is a single undo step.
import entries from "virtual:gallery";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Entry } from "../../plugins/examples";
import { closeDialog, Dialog } from "../panels/dialog";
import { loadScenario } from "../state/source";
import { paletteVersion } from "../state/theme";
import { later } from "../text/later";
import { percent } from "../text/format";
import { paintThumb, type Thumb, thumbOf } from "./thumb";

/** In the order of the buttons; levels not named here come after them. */
const LEVELS = ["first steps", "schedules", "hardware", "trouble"];
const levelName = (level: string) => later.levels[level] ?? level;

function Card({ entry }: { entry: Entry }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [thumb, setThumb] = useState<Thumb | null>(null);
  const version = paletteVersion.value;
  useEffect(() => {
    let wanted = true;
    thumbOf(entry.text).then((made) => wanted && setThumb(made));
    return () => void (wanted = false);
  }, [entry]);
  useEffect(() => {
    if (thumb && canvas.current) paintThumb(canvas.current, thumb);
  }, [thumb, version]);
  const load = () => {
    closeDialog();
    loadScenario(entry.text, entry.title);
  };
  return (
    <li class="card">
      <canvas class="thumb" ref={canvas} aria-hidden="true" />
      <div class="card-text">
        <h3>
          <button type="button" class="card-link" onClick={load}>
            {entry.title}
          </button>
        </h3>
        <p>{entry.about}</p>
        <p class="card-facts num">
          <span class="tag">{levelName(entry.level)}</span>
          {entry.minutes > 0 && <span>{later.minutes(entry.minutes)}</span>}
          {thumb?.bubble != null && <span>{later.cardBubble(percent(thumb.bubble, 0))}</span>}
        </p>
      </div>
    </li>
  );
}

const order = (entry: Entry) => {
  const at = LEVELS.indexOf(entry.level);
  return at < 0 ? LEVELS.length : at;
};

export function Gallery() {
  const [words, setWords] = useState("");
  const [level, setLevel] = useState("");
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = entries
    .filter((entry) => !level || entry.level === level)
    .filter((entry) => {
      const written = entry.text.replace(/(^|\s)#.*$/gm, "");
      const all = `${entry.title} ${entry.about} ${entry.level} ${written}`.toLowerCase();
      return wanted.every((word) => all.includes(word));
    })
    .sort((a, b) => order(a) - order(b));
  const levels = [...new Set([...entries].sort((a, b) => order(a) - order(b)).map((entry) => entry.level))];
  const search = (
    <label class="search">
      <span class="visually-hidden">{later.galleryFilter}</span>
      <input
        type="search"
        placeholder={later.galleryFilter}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
    </label>
  );
  return (
    <Dialog id="gallery" heading={later.galleryHeading} note={later.galleryNote} aside={search} wide>
      <div class="gallery-filters" role="group" aria-label={later.galleryLevels}>
        <button type="button" class="button small" aria-pressed={level === ""} onClick={() => setLevel("")}>
          {later.all(entries.length)}
        </button>
        {levels.map((one) => (
          <button
            key={one}
            type="button"
            class="button small"
            aria-pressed={level === one}
            onClick={() => setLevel(one)}
          >
            {levelName(one)} {entries.filter((entry) => entry.level === one).length}
          </button>
        ))}
      </div>
      {shown.length === 0 ? (
        <p class="muted gallery-none" role="status">
          {later.galleryNone}
        </p>
      ) : (
        <ul class="cards" id="cards">
          {shown.map((entry) => (
            <Card entry={entry} key={entry.path} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}
