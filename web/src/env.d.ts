// Modules that the build provides.
declare module "sluice-wasm?url" {
  const url: string;
  export default url;
}
declare module "virtual:default-scenario" {
  const text: string;
  export default text;
}
declare module "virtual:gallery" {
  const entries: import("../plugins/examples").Entry[];
  export default entries;
}
