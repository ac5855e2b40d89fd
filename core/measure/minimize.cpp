#include "measure/minimize.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sluice {
namespace {

constexpr double kFirstStep = 0.1;
constexpr double kLeastStep = 1e-4;
constexpr double kGrow = 1.6;
constexpr double kShrink = 0.5;

}  // namespace

double minimize(const std::function<double()>& objective,
                const std::vector<FitParameter>& parameters, int sweeps) {
  std::vector<double> steps(parameters.size(), kFirstStep);
  double best = objective();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool moving = false;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const FitParameter& p = parameters[i];
      const double before = *p.value;
      const double range = p.high - p.low;
      bool better = false;
      for (const double way : {1.0, -1.0}) {
        *p.value = std::clamp(before + way * steps[i] * range, p.low, p.high);
        if (*p.value == before) continue;
        const double found = objective();
        if (found < best) {
          best = found;
          better = true;
          break;
        }
        *p.value = before;
      }
      steps[i] *= better ? kGrow : kShrink;
      moving = moving || steps[i] > kLeastStep;
    }
    if (!moving) break;
  }
  return best;
}

double robust_loss(double error, double width) {
  const double size = std::fabs(error);
  return size <= width ? size * size : width * (2 * size - width);
}

}  // namespace sluice
