#include "io/places.hpp"

namespace sluice {

std::string parent_path(std::string_view path) {
  const std::size_t cut = path.find_last_of(".[");
  return cut == std::string_view::npos ? std::string() : std::string(path.substr(0, cut));
}

void Places::locate(Diagnostics& diagnostics) const {
  for (Diagnostic& d : diagnostics) {
    if (d.line != 0) continue;
    std::string path = d.path;
    bool exact = true;
    for (;;) {
      if (const auto found = places_.find(path); found != places_.end()) {
        const bool key = (d.at_key || !exact) && found->second.key.line != 0;
        const Place& place = key ? found->second.key : found->second.value;
        d.line = place.line;
        d.column = place.column;
        d.end_line = place.end_line;
        d.end_column = place.end_column;
        break;
      }
      if (path.empty()) break;
      path = parent_path(path);
      exact = false;
    }
  }
}

}  // namespace sluice
