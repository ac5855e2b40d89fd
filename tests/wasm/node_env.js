// Emscripten's programs see an environment of their own; the suite reads SLUICE_* (golden data, hash file, full size).
// Plain functions only: the glue optimiser of Emscripten 3.1.6 breaks on `for (const [a, b] of ...)`.
Module["preRun"] = function () {
  Object.keys(process.env).forEach(function (name) {
    if (name.startsWith("SLUICE_")) ENV[name] = process.env[name];
  });
};
