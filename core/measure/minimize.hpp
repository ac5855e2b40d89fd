// A plain minimizer for a few dozen bounded constants: deterministic, no derivatives.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sluice {

/// A constant to be fitted, in place.
struct FitParameter {
  std::string name;
  double* value = nullptr;
  double low = 0;
  double high = 0;
};

/// Cyclic pattern search: each parameter in turn goes a step up or down where that helps; steps
/// grow on success and halve without. Ends after `sweeps` rounds, or when all steps are below 1e-4
/// of their ranges. Returns the least value found, at which the parameters are left. Cost: about
/// three evaluations a parameter and sweep.
double minimize(const std::function<double()>& objective,
                const std::vector<FitParameter>& parameters, int sweeps);

/// Square of small errors, linear in large ones: a few odd rows do not decide. Source: Huber 1964.
double robust_loss(double error, double width);

}  // namespace sluice
