// Asks the browser for the module's bytes and the worker's script as early as the page itself is read,
// instead of after the main script has run.
import type { Plugin } from "vite";

export function preload(): Plugin {
  return {
    name: "sluice-preload",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, context) {
        // A page in a folder is one step further from what it asks for.
        const base = "../".repeat(context.path.split("/").length - 2) || "./";
        const files = Object.keys(context.bundle ?? {});
        const tag = (attrs: Record<string, string>) => ({ tag: "link", attrs, injectTo: "head" as const });
        return files.flatMap((file) => {
          // The importer is for those who bring a trace, the search for those who tune, and all that a planner needs.
          const module = context.path.endsWith("/plan.html") ? /sluice_search-/ : /sluice-[\w-]+\.wasm$/;
          if (file.endsWith(".wasm") && module.test(file)) {
            return [
              tag({
                rel: "preload",
                as: "fetch",
                type: "application/wasm",
                crossorigin: "",
                href: `${base}${file}`,
              }),
            ];
          }
          if (/worker-[\w-]+\.js$/.test(file)) {
            return [tag({ rel: "modulepreload", href: `${base}${file}` })];
          }
          return [];
        });
      },
    },
  };
}
