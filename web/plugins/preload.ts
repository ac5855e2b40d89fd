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
        const files = Object.keys(context.bundle ?? {});
        const tag = (attrs: Record<string, string>) => ({ tag: "link", attrs, injectTo: "head" as const });
        return files.flatMap((file) => {
          if (file.endsWith(".wasm")) {
            return [
              tag({
                rel: "preload",
                as: "fetch",
                type: "application/wasm",
                crossorigin: "",
                href: `./${file}`,
              }),
            ];
          }
          if (/worker-[\w-]+\.js$/.test(file)) {
            return [tag({ rel: "modulepreload", href: `./${file}` })];
          }
          return [];
        });
      },
    },
  };
}
