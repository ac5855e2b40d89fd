#include "io/calibration_intervals.hpp"

#include "base/result.hpp"
#include "io/embedded.hpp"
#include "io/number.hpp"
#include "io/yaml_document.hpp"

namespace sluice {
namespace {

double bound(const YamlNode& node) {
  const ParsedNumber parsed = parse_number(node.scalar);
  SLUICE_CHECK(parsed.status == NumberStatus::Ok);
  return parsed.value;
}

}  // namespace

std::vector<ConstantInterval> calibration_intervals(const std::string& name) {
  std::vector<ConstantInterval> out;
  for (const EmbeddedFile& file : embedded_presets()) {
    if (file.name != "calibration/" + name + ".yaml") continue;
    const Result<YamlTree> tree = parse_yaml(file.text);
    SLUICE_CHECK(tree.ok());
    const YamlNode* intervals = tree.value()->find("intervals");
    if (intervals == nullptr) continue;
    for (const YamlNode::Entry& e : intervals->entries) {
      SLUICE_CHECK(e.value->items.size() == 2);
      out.push_back({e.key, bound(*e.value->items[0]), bound(*e.value->items[1])});
    }
  }
  return out;
}

}  // namespace sluice
