// The tab that trains small models: few ask for it, so what it holds is fetched when it is opened.
import { Lazy } from "./lazy";

const load = () => import("../learn/panel").then(({ Panel }) => Panel);

export const Learn = () => <Lazy load={load} />;
