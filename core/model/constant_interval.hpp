// How sure a constant of a calibration is.
#pragma once

#include <string>

namespace sluice {

/// 5 to 95 % of refits; `name` as named_values has it. Constants that every refit leaves where they
/// are have `low == high`.
struct ConstantInterval {
  std::string name;
  double low = 0;
  double high = 0;
};

}  // namespace sluice
