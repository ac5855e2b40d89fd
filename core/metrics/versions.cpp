#include "metrics/versions.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace sluice {
namespace {

// Of one stage copy while its rank's list is gone through.
class CopyVersions {
 public:
  CopyVersions(const Plan& plan, VersionTable& table) : plan_(plan), table_(table) {}

  void update() { ++now_; }
  void forward(std::size_t at, std::uint32_t update) {
    table_.forward[at] = read(update);
    table_.update[at] = update;
  }
  void backward(std::size_t at, std::uint32_t update) {
    table_.backward[at] = plan_.reads == WeightsRead::Stashed ? table_.forward[at] : read(update);
  }

 private:
  [[nodiscard]] std::uint32_t read(std::uint32_t update) const {
    if (plan_.reads != WeightsRead::OneBehind) return now_;
    return update == 0 ? 0 : update - 1;
  }

  const Plan& plan_;
  VersionTable& table_;
  std::uint32_t now_ = 0;
};

VersionTable empty_table(const Plan& plan, std::int64_t microbatches) {
  VersionTable table;
  table.stages = static_cast<std::uint32_t>(plan.placement.stages());
  table.microbatches = static_cast<std::uint32_t>(microbatches);
  const std::size_t entries = std::size_t{table.stages} * table.microbatches;
  table.forward.assign(entries, 0);
  table.backward.assign(entries, 0);
  table.update.assign(entries, 0);
  return table;
}

void read_rank(const Order& order, int rank, std::vector<CopyVersions>& copies,
               const VersionTable& table) {
  const auto r = static_cast<std::size_t>(rank);
  std::uint32_t next = order.first_update[r];
  const auto updates_until = [&](std::uint32_t position) {
    for (; next < order.first_update[r + 1] && order.updates[next].before <= position; ++next) {
      const std::uint16_t stage = order.updates[next].stage;
      for (std::size_t copy = 0; copy < copies.size(); ++copy) {
        const bool own = order.placement.rank_of_stage[copy] == rank;
        if (own && (stage == kAllStages || stage == copy)) copies[copy].update();
      }
    }
  };
  const auto per_update = static_cast<std::uint32_t>(order.microbatches_per_update);
  for (std::uint32_t i = order.begin[r]; i < order.end[r]; ++i) {
    updates_until(i);
    const Operation& op = order.operations[i];
    const std::size_t at = table.at(op.microbatch, op.stage % table.stages);
    const std::uint32_t update = op.microbatch / per_update;
    if (op.kind == OpKind::Forward) copies[op.stage].forward(at, update);
    if (op.kind == OpKind::Backward || op.kind == OpKind::InputGrad)
      copies[op.stage].backward(at, update);
  }
}

// Versions that a rank of stage copies has to hold: what microbatches in flight still need, and the
// newest. A microbatch needs what its backward reads, if that is not read anew.
std::uint32_t versions_kept(const VersionTable& table, std::uint32_t stage, WeightsRead reads) {
  if (reads == WeightsRead::Newest) return 1;
  if (reads == WeightsRead::OneBehind) return table.microbatches > 0 ? 2 : 1;
  // Stashed: a microbatch is in flight until as many updates are made as its own has before it, so
  // what is newest at its backward, less what it has read, and the newest itself.
  std::uint32_t most = 1;
  for (std::uint32_t m = 0; m < table.microbatches; ++m) {
    const std::size_t at = table.at(m, stage);
    most = std::max(most, table.update[at] - table.backward[at] + 1);
  }
  return most;
}

}  // namespace

VersionTable versions_of(const Plan& plan, std::int64_t batches, std::int64_t accumulation) {
  if (!plan.order || plan.order->updates.empty()) {
    const std::int64_t per_batch = plan.order ? plan.order->microbatches : plan.microbatches;
    VersionTable table = empty_table(plan, per_batch * batches);
    for (std::uint32_t m = 0; m < table.microbatches; ++m) {
      const auto version = static_cast<std::uint32_t>(m / (per_batch * accumulation));
      for (std::uint32_t s = 0; s < table.stages; ++s) {
        const std::size_t at = table.at(m, s);
        table.forward[at] = table.backward[at] = table.update[at] = version;
      }
    }
    return table;
  }
  const Order& order = *plan.order;
  VersionTable table = empty_table(plan, order.microbatches);
  std::vector<CopyVersions> copies(static_cast<std::size_t>(plan.stages()),
                                   CopyVersions(plan, table));
  for (int rank = 0; rank < order.ranks(); ++rank) read_rank(order, rank, copies, table);
  return table;
}

Staleness staleness_of(const VersionTable& table, const Plan& plan) {
  Staleness out;
  out.stages.resize(table.stages);
  std::uint64_t drifts = 0;
  std::uint64_t drifted = 0;
  for (std::uint32_t s = 0; s < table.stages; ++s) {
    StageStaleness& stage = out.stages[s];
    std::uint64_t sum = 0;
    std::uint64_t delays = 0;
    for (std::uint32_t m = 0; m < table.microbatches; ++m) {
      const std::size_t at = table.at(m, s);
      const std::uint32_t drift = table.backward[at] - table.forward[at];
      const std::uint32_t delay = table.update[at] - table.backward[at];
      if (stage.drift_histogram.size() <= drift) stage.drift_histogram.resize(drift + 1, 0);
      ++stage.drift_histogram[drift];
      sum += drift;
      delays += delay;
      stage.delay_max = std::max(stage.delay_max, delay);
    }
    if (table.microbatches == 0) continue;
    const double all = table.microbatches;
    const std::uint32_t level = stage.drift_histogram.front();
    stage.drift_max = static_cast<std::uint32_t>(stage.drift_histogram.size() - 1);
    stage.drift_mean = static_cast<double>(sum) / all;
    stage.drifted = (all - level) / all;
    stage.delay_mean = static_cast<double>(delays) / all;
    // Gradients at the end that are too few for an update wait in vain.
    const bool own = plan.order && !plan.order->updates.empty();
    stage.updates =
        own ? table.microbatches / static_cast<std::uint32_t>(plan.order->microbatches_per_update)
            : table.update[table.at(table.microbatches - 1, s)] + 1;
    stage.versions = versions_kept(table, s, plan.synchronous ? WeightsRead::Newest : plan.reads);
    drifts += sum;
    drifted += table.microbatches - level;
    out.drift_max = std::max(out.drift_max, stage.drift_max);
    out.delay_max = std::max(out.delay_max, stage.delay_max);
  }
  const double entries = static_cast<double>(table.forward.size());
  if (entries > 0) {
    out.drift_mean = static_cast<double>(drifts) / entries;
    out.drifted = static_cast<double>(drifted) / entries;
  }
  for (std::uint32_t m = 0; m < table.microbatches && table.stages > 0; ++m) {
    const auto first = table.forward.begin() + static_cast<std::ptrdiff_t>(table.at(m, 0));
    const auto [least, most] =
        std::minmax_element(first, first + static_cast<std::ptrdiff_t>(table.stages));
    out.skew_max = std::max(out.skew_max, *most - *least);
  }
  return out;
}

}  // namespace sluice
