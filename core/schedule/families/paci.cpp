// PACI: 1F1B that never drains, with one version of the weights. A stage updates them only after
// every K microbatches, so that few updates fall between a forward and its backward.
#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

Result<Order> order_of(const ScheduleRequest& request, const Placement& placement) {
  return endless_1f1b(request, placement, 1 + request.number("extra_inflight", 0),
                      request.number("accumulation", per_batch(request)));
}

}  // namespace

ScheduleInfo paci() {
  ScheduleInfo info;
  info.name = "paci";
  info.family = "asynchronous";
  info.doc =
      "1F1B without a flush and with one version of the weights, updated every few microbatches";
  info.parameters = {
      accumulation_parameter("microbatches of a batch"),
      {.name = "extra_inflight",
       .otherwise = "0",
       .least = 0,
       .doc = "So many times more microbatches in flight; 2 c / (F + B), rounded up, "
              "hide a transfer of c"},
      prediction_parameter()};
  info.synchronous = false;
  info.source = "Elam et al. 2026, arXiv 2606.07881";
  info.order = order_of;
  return info;
}

}  // namespace sluice
