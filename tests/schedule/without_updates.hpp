// An order as its text has it: operations alone.
#pragma once

#include <utility>

#include "schedule/order.hpp"

namespace sluice_test {

inline sluice::Order without_updates(sluice::Order order) {
  order.updates.clear();
  order.first_update.clear();
  order.microbatches_per_update = 0;
  return order;
}

}  // namespace sluice_test
