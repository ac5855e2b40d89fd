#include "io/report_json.hpp"

#include "io/json.hpp"

namespace sluice {

std::string refusal_json(const Diagnostics& diagnostics) {
  return json_text({{"ok", false}, {"diagnostics", diagnostics_to_json(diagnostics)}}, 2);
}

std::string check_report_json(const std::vector<FileReport>& reports) {
  bool all = true;
  Json files = Json::array();
  for (const FileReport& r : reports) {
    all = all && r.ok;
    files.push_back(
        {{"file", r.file}, {"ok", r.ok}, {"diagnostics", diagnostics_to_json(r.diagnostics)}});
  }
  return json_text({{"ok", all}, {"files", files}}, 2);
}

}  // namespace sluice
