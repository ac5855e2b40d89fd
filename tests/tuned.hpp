// A search that has come to its end.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "api/tune.hpp"

namespace sluice_test {

inline sluice::Tuning tuned(const std::string& text, const std::vector<sluice::Setting>& settings,
                            sluice::TuneRequest request) {
  auto made = sluice::Tuning::make(text, settings, std::move(request));
  if (!made) FAIL(made.diagnostics().front().message);
  while (!made.value().step(std::numeric_limits<std::uint32_t>::max())) {
  }
  return std::move(made).value();
}

}  // namespace sluice_test
