// A calibration as it could as well have come out: its constants drawn from their intervals.
#pragma once

#include <cstdint>
#include <vector>

#include "model/calibration.hpp"
#include "model/constant_interval.hpp"

namespace sluice {

/// A standard normal number, a function of what it is for alone: the constant, and the run that it
/// is drawn for. Constants are independent of one another.
double constant_deviate(std::uint64_t seed, const std::string& constant, std::uint32_t run);

/// What a constant is when its deviate is `z`: half a normal to each side of the fitted value, so
/// that this is the median and the interval's ends are the 5 and 95 % quantiles. An end on the
/// wrong side of the value counts as the value. Never less than half the lower end.
double drawn_constant(double fitted, const ConstantInterval& interval, double z);

/// Every constant that has an interval.
Calibration drawn_calibration(const Calibration& fitted,
                              const std::vector<ConstantInterval>& intervals, std::uint64_t seed,
                              std::uint32_t run);

}  // namespace sluice
