// Scenarios that run, as cards with a picture of their run. Loading one is a single undo step.
import { useRef, useState } from "preact/hooks";
import type { GalleryEntry } from "../../plugins/examples";
import { openFiles } from "../import/open";
import { useData } from "../state/data";
import { closeDialog, Dialog } from "../panels/dialog";
import { Icon } from "../panels/icon";
import { loadScenario } from "../state/source";
import { later } from "../text/later";
import { percent } from "../text/format";

/** In the order of the buttons; levels not named here come after them. */
const LEVELS = ["first steps", "schedules", "asynchronous", "hardware", "trouble"];
const levelName = (level: string) => later.levels[level] ?? level;

function Card({ entry }: { entry: GalleryEntry }) {
  const load = () => {
    closeDialog();
    loadScenario(entry.text, entry.title);
  };
  return (
    <li class="card">
      <img class="thumb" src={entry.picture} alt="" loading="lazy" />
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
          <span>{later.cardBubble(percent(entry.bubble, 0))}</span>
        </p>
      </div>
    </li>
  );
}

const order = (entry: GalleryEntry) => {
  const at = LEVELS.indexOf(entry.level);
  return at < 0 ? LEVELS.length : at;
};

export function Gallery() {
  const [words, setWords] = useState("");
  const entries = useData<GalleryEntry[]>("gallery.json") ?? [];
  const [level, setLevel] = useState("");
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = entries
    .filter((entry) => !level || entry.level === level)
    .filter((entry) => {
      const written = entry.text.replace(/(^|\s)#.*$/gm, "");
      const all = `${entry.title} ${entry.about} ${entry.level} ${written}`.toLowerCase();
      return wanted.every((word) => all.includes(word));
    })
    .sort((a, b) => order(a) - order(b) || a.minutes - b.minutes);
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
  const own = useRef<HTMLInputElement>(null);
  const bring = (files: FileList | null) => {
    if (!files?.length) return;
    closeDialog();
    void openFiles([...files]);
  };
  return (
    <Dialog id="gallery" heading={later.galleryHeading} note={later.galleryNote} aside={search} wide>
      <div class="gallery-bar">
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
        <button type="button" class="button small" onClick={() => own.current?.click()}>
          <Icon name="open" />
          {later.open.button}
        </button>
        <input
          ref={own}
          id="open-file"
          type="file"
          hidden
          multiple
          accept=".yaml,.yml,.json,.jsonl,.gz,.csv,.txt"
          onChange={(event) => bring(event.currentTarget.files)}
        />
      </div>
      {shown.length === 0 && entries.length > 0 ? (
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
