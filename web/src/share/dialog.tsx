// The share dialog: the link with its length, the embed snippet, and the file for when a link is too long.
import { useEffect, useState } from "preact/hooks";
import { downloadYaml } from "../export/files";
import { CopyButton } from "../panels/copy";
import { Dialog } from "../panels/dialog";
import { Icon } from "../panels/icon";
import { later } from "../text/later";
import { pairText } from "../text/pair";
import { QrFigure } from "./qr_figure";
import { comparing, LONG, type Links, makeLinks, TOO_LONG, zoomed } from "./link";

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
  const [includeA, setIncludeA] = useState(true);
  const [code, setCode] = useState(false);
  const [links, setLinks] = useState<Links>({ link: "", embed: "" });
  useEffect(() => {
    let wanted = true;
    makeLinks(includeView, includeA).then((made) => wanted && setLinks(made));
    return () => void (wanted = false);
  }, [includeView, includeA]);
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
        {comparing() && (
          <label class="check-row">
            <input
              type="checkbox"
              id="share-pair"
              checked={includeA}
              onChange={(event) => setIncludeA(event.currentTarget.checked)}
            />
            {pairText.share}
          </label>
        )}
        <button
          type="button"
          class="button small"
          id="share-qr-toggle"
          aria-expanded={code}
          onClick={() => setCode(!code)}
        >
          {later.qrShow}
        </button>
        {code && links.link && <QrFigure text={links.link} />}
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
