// Where each path of a scenario stands in its text, so that layers which know only the path can be
// told the place.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/diagnostics.hpp"
#include "io/yaml_document.hpp"

namespace sluice {

class Places {
 public:
  void add(const std::string& path, const Place& key, const Place& value) {
    places_[path] = {key, value, false};
  }
  /// The value at `path` stands in the text only by the name of a preset.
  void mark_preset(const std::string& path) { places_[path].from_preset = true; }
  /// Where the value at `path` is from: "written", "preset" or "default".
  [[nodiscard]] std::string_view origin(const std::string& path) const {
    const auto found = places_.find(path);
    if (found == places_.end()) return "default";
    return found->second.from_preset ? "preset" : "written";
  }

  /// Fills in the places of diagnostics that have none: the place of the path, or of the nearest
  /// path above it that is in the text. A path that is not in the text itself points at the key
  /// above.
  void locate(Diagnostics& diagnostics) const;

 private:
  struct Pair {
    Place key;
    Place value;
    bool from_preset = false;
  };
  std::map<std::string, Pair, std::less<>> places_;
};

/// "a.b[2].c" -> "a.b[2]" -> "a.b" -> "a" -> "".
std::string parent_path(std::string_view path);

}  // namespace sluice
