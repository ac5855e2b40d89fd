// PipeDream and PipeDream-2BW: 1F1B that never drains. Its order runs over all batches of the run
// as one stream, and each stage updates its own weights.
#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

Result<Order> pipedream_order(const ScheduleRequest& request, const Placement& placement) {
  return endless_1f1b(request, placement, 1, request.number("accumulation", 1));
}

int double_buffered_update(const ScheduleRequest& request) {
  return request.number("accumulation", per_batch(request));
}
Result<Order> double_buffered_order(const ScheduleRequest& request, const Placement& placement) {
  return endless_1f1b(request, placement, 1, double_buffered_update(request));
}
// With fewer, a microbatch could be on its way through two updates, and two buffers not suffice.
bool has_two_versions(const ScheduleRequest& request) {
  return double_buffered_update(request) >= request.ranks;
}

}  // namespace

ScheduleInfo pipedream() {
  ScheduleInfo info;
  info.name = "pipedream";
  info.family = "asynchronous";
  info.doc = "1F1B without a flush: no bubble between batches, stale weights, p - r versions kept";
  info.parameters = {accumulation_parameter("1"),
                     {.name = "stash",
                      .type = ParameterType::Boolean,
                      .otherwise = "true",
                      .least = 0,
                      .most = 1,
                      .doc = "A backward reads the weights of its forward, not the newest"},
                     prediction_parameter()};
  info.synchronous = false;
  info.reads = WeightsRead::Stashed;
  info.source = "Narayanan et al. 2019, arXiv 1806.03377";
  info.order = pipedream_order;
  return info;
}

ScheduleInfo pipedream_2bw() {
  ScheduleInfo info;
  info.name = "pipedream_2bw";
  info.aliases = {"2bw"};
  info.family = "asynchronous";
  info.doc =
      "1F1B without a flush and with two versions of the weights: all gradients one update old";
  info.parameters = {accumulation_parameter("microbatches of a batch"), prediction_parameter()};
  info.constraints = {
      {"enough_microbatches", "accumulation must be at least ranks", has_two_versions}};
  info.weight_copies = 2;
  info.synchronous = false;
  info.reads = WeightsRead::OneBehind;
  info.source = "Narayanan et al. 2021, arXiv 2006.09503";
  info.order = double_buffered_order;
  return info;
}

}  // namespace sluice
