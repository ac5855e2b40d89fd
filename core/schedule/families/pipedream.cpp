// PipeDream: 1F1B that never drains. Its order runs over all batches of the run as one stream.
#include "schedule/families/families.hpp"

namespace sluice {

ScheduleInfo pipedream() {
  ScheduleInfo info = one_f_one_b();
  info.name = "pipedream";
  info.aliases = {};
  info.family = "asynchronous";
  info.doc =
      "1F1B without a flush: no bubble between batches, stale weights, p - r weight versions";
  info.synchronous = false;
  info.source = "Narayanan et al. 2019, arXiv 1806.03377";
  return info;
}

}  // namespace sluice
