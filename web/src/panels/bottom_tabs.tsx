// On a phone one view at a time: the three of them, at the thumb.
import * as s from "../state/store";
import { en } from "../text/en";
import { Icon } from "./icon";

const TABS: [s.PhoneTab, string, string][] = [
  ["edit", "edit", en.tabEdit],
  ["timeline", "lanes", en.tabTimeline],
  ["metrics", "gauge", en.tabMetrics],
];

export const BottomTabs = () => (
  <nav class="bottom-tabs" id="bottom-tabs" aria-label={en.views}>
    {TABS.map(([id, icon, label]) => (
      <button
        key={id}
        type="button"
        data-tab={id}
        aria-current={s.phoneTab.value === id ? "page" : undefined}
        onClick={() => (s.phoneTab.value = id)}
      >
        <Icon name={icon} />
        {label}
      </button>
    ))}
  </nav>
);
