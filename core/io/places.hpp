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
    places_[path] = {key, value};
  }
  [[nodiscard]] bool contains(const std::string& path) const { return places_.contains(path); }

  /// Fills in the places of diagnostics that have none: the place of the path, or of the nearest
  /// path above it that is in the text. A path that is not in the text itself points at the key
  /// above.
  void locate(Diagnostics& diagnostics) const;

 private:
  struct Pair {
    Place key;
    Place value;
  };
  std::map<std::string, Pair, std::less<>> places_;
};

/// "a.b[2].c" -> "a.b[2]" -> "a.b" -> "a" -> "".
std::string parent_path(std::string_view path);

}  // namespace sluice
