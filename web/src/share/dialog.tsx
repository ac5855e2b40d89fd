// The share dialog: the link with its length, the embed snippet, and the file for when a link is too long.
import { useEffect, useState } from "preact/hooks";
import { downloadYaml } from "../export/files";
import { Dialog } from "../panels/dialog";
import { Icon } from "../panels/icon";
import { later } from "../text/later";
import { LONG, type Links, makeLinks, TOO_LONG, zoomed } from "./link";

function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<"" | "done" | "failed">("");
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState("done"),
      () => setState("failed"),
    );
  useEffect(() => setState(""), [text]);
  return (
    <div class="copy">
      <button type="button" class="button" onClick={copy} aria-label={label}>
        <Icon name={state === "done" ? "check" : "copy"} />
        {state === "done" ? later.copied : later.copy}
      </button>
      <span role="status" class={state === "failed" ? "muted" : "visually-hidden"}>
        {state === "done" ? later.copied : state === "failed" ? later.copyFailed : ""}
      </span>
    </div>
  );
}

function Meter({ length }: { length: number }) {
  const level = length > TOO_LONG ? "file" : length > LONG ? "long" : "fine";
  return (
    <p class={`meter ${level}`}>
      <span class="meter-bar" aria-hidden="true" style={{ "--share": Math.min(1, length / LONG) }} />
      <span class="num">{later.shareLength[level](length)}</span>
    </p>
  );
}

export function Share() {
  const [includeView, setIncludeView] = useState(zoomed());
  const [links, setLinks] = useState<Links>({ link: "", embed: "" });
  useEffect(() => {
    let wanted = true;
    makeLinks(includeView).then((made) => wanted && setLinks(made));
    return () => void (wanted = false);
  }, [includeView]);
  return (
    <Dialog id="share" heading={later.shareHeading} note={later.shareNote}>
      <div class="dialog-body share-body">
        <label for="share-link">{later.shareLink}</label>
        <div class="share-row">
          <input
            id="share-link"
            type="text"
            readOnly
            value={links.link}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={links.link} label={later.copyLink} />
        </div>
        <Meter length={links.link.length} />
        {zoomed() && (
          <label class="check-row">
            <input
              type="checkbox"
              checked={includeView}
              onChange={(event) => setIncludeView(event.currentTarget.checked)}
            />
            {later.shareView}
          </label>
        )}
        <label for="share-embed">{later.shareEmbed}</label>
        <div class="share-row">
          <textarea
            id="share-embed"
            readOnly
            rows={4}
            value={links.embed}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={links.embed} label={later.copyEmbed} />
        </div>
        <button type="button" class="button" onClick={downloadYaml}>
          <Icon name="export" />
          {later.saveFile}
        </button>
      </div>
    </Dialog>
  );
}
