#include "measure/messages.hpp"

#include <limits>
#include <map>
#include <tuple>

namespace sluice {
namespace {

/// Whether it is a forward, stage, iteration, microbatch.
using Key = std::tuple<bool, std::int32_t, std::int32_t, std::int32_t>;

bool hands_on(const OpEvent& e) {
  return e.pipelined() && e.kind != OpKind::WeightGrad;
}

}  // namespace

std::vector<Message> messages_of(const TracedRun& run) {
  std::map<Key, std::int64_t> sent;
  for (const OpEvent& e : run.events) {
    if (hands_on(e))
      sent.emplace(Key{e.kind == OpKind::Forward, e.stage, e.iteration, e.microbatch}, e.end_ns);
  }
  std::vector<Message> out;
  // By rank: when its operation before this one ended.
  std::map<std::int32_t, std::int64_t> busy_until;
  for (const OpEvent& e : run.events) {
    if (!e.computes()) continue;
    const auto before = busy_until.find(e.rank);
    const std::int64_t free_at =
        before == busy_until.end() ? std::numeric_limits<std::int64_t>::min() : before->second;
    busy_until[e.rank] = e.end_ns;
    if (!hands_on(e)) continue;
    const bool forward = e.kind == OpKind::Forward;
    const std::int32_t from = forward ? e.stage - 1 : e.stage + 1;
    if (from < 0 || from >= run.stages) continue;
    const std::size_t from_place = run.place_of_stage[static_cast<std::size_t>(from)];
    const std::size_t to_place = run.place_of_stage[static_cast<std::size_t>(e.stage)];
    const auto source = sent.find(Key{forward, from, e.iteration, e.microbatch});
    if (from_place == to_place || source == sent.end()) continue;
    out.push_back({from, e.stage, from_place, to_place, source->second, e.start_ns, e.end_ns,
                   free_at <= source->second});
  }
  return out;
}

}  // namespace sluice
