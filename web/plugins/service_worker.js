// Keeps the whole site on the reader's machine, so that it opens without a network. All files of one build are taken
// together, and a newer build waits until the page asks for it: a page never meets the files of another build.
/* global FILES, VERSION */
const CACHE = `sluice-${VERSION}`;

self.addEventListener("install", (event) => {
  const requests = FILES.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)));
});

self.addEventListener("activate", (event) => {
  const drop = (names) =>
    Promise.all(names.filter((name) => name.startsWith("sluice-") && name !== CACHE).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(drop));
});

self.addEventListener("message", (event) => {
  if (event.data === "take-over") self.skipWaiting();
});

/** The address as it is listed: without the query, which only the page itself reads. */
function listed(url) {
  const path = url.href.slice(self.registration.scope.length).replace(/[?#].*$/, "");
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || !url.href.startsWith(self.registration.scope)) return;
  const file = listed(url);
  if (!FILES.includes(file)) return;
  event.respondWith(
    caches
      .open(CACHE)
      .then((cache) => cache.match(file))
      .then((kept) => kept ?? fetch(event.request)),
  );
});
