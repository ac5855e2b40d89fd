// The one line above an embedded timeline: what it is, two numbers, and the way to the whole page.
import { titleOf } from "../state/source";
import * as s from "../state/store";
import { en } from "../text/en";
import { percent, time } from "../text/format";
import { Icon } from "./icon";
import { Legend } from "./legend";

/** This address without the embedding, with the same hash. */
function fullAddress(): string {
  const url = new URL(location.href);
  url.searchParams.delete("embed");
  return url.href;
}

export function EmbedBar() {
  const facts = s.result.value?.facts;
  return (
    <header class="embed-bar">
      <p class="embed-title">
        <Icon name="logo" className="logo" />
        <span id="embed-title">{titleOf(s.text.value)}</span>
      </p>
      <div class="embed-facts" id="embed-facts">
        {facts && facts.stepMs !== null && (
          <span>
            {en.step} <strong class="num">{time(facts.stepMs * 1e9)}</strong>
          </span>
        )}
        {facts && facts.bubble !== null && (
          <span>
            {en.bubble} <strong class="num">{percent(facts.bubble)}</strong>
          </span>
        )}
        <Legend limit={2} idle={false} />
      </div>
      <a class="button" href={fullAddress()} target="_top">
        {en.openInFull}
        <Icon name="open" />
      </a>
    </header>
  );
}
