// Modules that the build provides.
declare module "sluice-wasm?url" {
  const url: string;
  export default url;
}
declare module "sluice-search-wasm?url" {
  const url: string;
  export default url;
}
declare module "sluice-import-wasm?url" {
  const url: string;
  export default url;
}
declare module "virtual:default-scenario" {
  const text: string;
  export default text;
}
