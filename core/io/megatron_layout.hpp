// Megatron's layout string: which layers each virtual stage holds, e.g. "Et*2|(t*2|)*34,t*3|tL".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice {

/// What one virtual stage holds, in model order.
struct StageLayout {
  bool embedding = false;
  int layers = 0;
  /// Multi-token prediction layers.
  int prediction_layers = 0;
  bool loss = false;

  bool operator==(const StageLayout&) const = default;
};

/// Reads a layout: `E` embedding, `t` transformer layer, `m` multi-token prediction, `L` loss, `|`
/// between stages, `x*n` and `(...)*n` repeat, commas and blanks mean nothing. Diagnostics with
/// column: layout.syntax (also: embedding not first, loss not last, too many stages). Source:
/// Megatron-LM, pipeline_parallel_layer_layout.
Result<std::vector<StageLayout>> parse_layout(std::string_view text);

/// The shortest such text without nested repeats; reads back as it was.
std::string layout_text(const std::vector<StageLayout>& stages);

}  // namespace sluice
