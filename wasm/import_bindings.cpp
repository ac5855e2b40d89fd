// The importer as a module of its own, fetched by those who bring a recorded run: texts in, one
// JSON text out. It shares the core's objects with the module. Plain functions over addresses, so
// that it needs no glue: web/src/import/reader.ts calls them.
#include <emscripten.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "api/import_step.hpp"
#include "api/import_trace.hpp"
#include "io/json.hpp"
#include "io/presets.hpp"
#include "io/report_json.hpp"

namespace {

struct Import {
  sluice::ImportRequest request;
  /// A file on its way in, then the answer.
  std::string text;
};

std::string answer_to(const sluice::ImportRequest& request) {
  const auto imported = sluice::import_trace(request, sluice::load_presets());
  if (!imported) return sluice::refusal_json(imported.diagnostics());
  return "{\"ok\":true,\"report\":" + sluice::import_json(imported.value(), -1) +
         ",\"step\":" + sluice::import_step_json(imported.value()) + "}";
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE Import* sluice_import_open() {
  return new Import;
}

/// Where a file's name and, behind it, its text are to be written; null when there is no room.
EMSCRIPTEN_KEEPALIVE char* sluice_import_room(Import* import, std::uint32_t bytes) {
  try {
    import->text.assign(bytes, ' ');
    return import->text.data();
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// Takes what stands in the room, of which the first bytes are the name, as one more file.
EMSCRIPTEN_KEEPALIVE void sluice_import_file(Import* import, std::uint32_t name_bytes) {
  sluice::NamedText file{import->text.substr(0, name_bytes), {}};
  import->text.erase(0, name_bytes);
  file.text = std::move(import->text);
  import->request.traces.push_back(std::move(file));
}

/// Reads all files. Answers with the length of {"ok": true, "report", "step"} (import_json,
/// import_step_json) or {"ok": false, "diagnostics"}, in UTF-8, which stands at
/// sluice_import_answer().
EMSCRIPTEN_KEEPALIVE std::uint32_t sluice_import_run(Import* import) {
  try {
    import->text = answer_to(import->request);
  } catch (const std::exception& e) {
    import->text = sluice::json_text({{"ok", false},
                                      {"diagnostics", sluice::Json::array()},
                                      { "internal",
                                        e.what() }});
  }
  return static_cast<std::uint32_t>(import->text.size());
}

EMSCRIPTEN_KEEPALIVE const char* sluice_import_answer(const Import* import) {
  return import->text.data();
}
}
