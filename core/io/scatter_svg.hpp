// A sheet of predicted against measured figures.
#pragma once

#include <string>
#include <vector>

namespace sluice {

struct ScatterPoint {
  double measured = 0;
  double predicted = 0;
  /// Index of the group whose colour it has, from 0; those beyond the fifth share its colour.
  std::size_t group = 0;
};

/// Both axes logarithmic and alike, with the diagonal and a band of `band` (a share) beside it.
/// `axes`: what is measured, with its unit. Figures are above 0.
std::string scatter_svg(const std::string& title, const std::string& axes,
                        const std::vector<std::string>& groups,
                        const std::vector<ScatterPoint>& points, double band);

}  // namespace sluice
