// Serves a folder on this machine, with the headers a careful host would send: `node serve.mjs FOLDER [PORT]`.
// Takes the next free port when the wanted one is busy, and prints the address.
import { createServer } from "node:http";
import { createReadStream, statSync } from "node:fs";
import { extname, join, normalize, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
  ".yaml": "text/plain; charset=utf-8",
};

export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
].join("; ");

function fileFor(root, url) {
  const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
  let file = join(root, path);
  if (file !== root && !file.startsWith(root + sep)) return undefined;
  try {
    if (statSync(file).isDirectory()) file = join(file, "index.html");
    return { file, size: statSync(file).size };
  } catch {
    return undefined;
  }
}

function answer(root, request, response) {
  response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Referrer-Policy", "no-referrer");
  let found;
  try {
    found = fileFor(root, request.url ?? "/");
  } catch {
    found = undefined;
  }
  if (!found || (request.method !== "GET" && request.method !== "HEAD")) {
    response.writeHead(found ? 405 : 404, { "Content-Type": "text/plain" });
    response.end(found ? "Only GET\n" : "Not found\n");
    return;
  }
  const hashed = /-[\w-]{8,}\.\w+$/.test(found.file);
  response.writeHead(200, {
    "Content-Type": TYPES[extname(found.file)] ?? "application/octet-stream",
    "Content-Length": found.size,
    "Cache-Control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
  });
  if (request.method === "HEAD") response.end();
  else createReadStream(found.file).pipe(response);
}

/** Starts the server and resolves to `{url, close}`; `port` 0 takes any. */
export function serve(folder, port = 8080) {
  const root = resolve(folder);
  const server = createServer((request, response) => answer(root, request, response));
  return new Promise((done, fail) => {
    const listen = (wanted) => {
      server.once("error", (error) => {
        if (error.code === "EADDRINUSE" && wanted && wanted < port + 100) listen(wanted + 1);
        else fail(error);
      });
      server.listen(wanted, "127.0.0.1", () => {
        server.removeAllListeners("error");
        const url = `http://localhost:${server.address().port}/`;
        const close = () => {
          server.closeAllConnections();
          return new Promise((closed) => server.close(closed));
        };
        done({ url, close });
      });
    };
    listen(port);
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = process.argv[2];
  if (!folder) {
    console.error("usage: node serve.mjs FOLDER [PORT]");
    process.exit(2);
  }
  const { url } = await serve(folder, Number(process.argv[3] ?? 8080));
  console.log(`Sluice is at ${url}`);
}
