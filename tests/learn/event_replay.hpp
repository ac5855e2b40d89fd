// Training in the order in which the devices of a pipeline would really compute: a queue of passes
// a stage, messages between neighbours, and one copy of each stage's weights. It knows no table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/compat.hpp"
#include "base/hash.hpp"
#include "learn/model.hpp"
#include "learn/optimizer.hpp"
#include "metrics/versions.hpp"

namespace sluice_test {

struct Pass {
  bool forward = true;
  std::uint32_t microbatch = 0;
};
/// Passes of each stage, in its order.
using Queues = std::vector<std::vector<Pass>>;

/// One forward, one backward in turn after a warm-up, for microbatches first .. first + count - 1.
inline void append_1f1b(Queues& queues, std::uint32_t first, std::uint32_t count) {
  const auto stages = static_cast<std::uint32_t>(queues.size());
  for (std::uint32_t s = 0; s < stages; ++s) {
    const std::uint32_t ahead = std::min(count, stages - 1 - s);
    for (std::uint32_t i = 0; i < count + ahead; ++i) {
      if (i < count) queues[s].push_back({true, first + i});
      if (i >= ahead) queues[s].push_back({false, first + i - ahead});
    }
  }
}

inline void append_gpipe(Queues& queues, std::uint32_t first, std::uint32_t count) {
  for (auto& queue : queues) {
    for (std::uint32_t i = 0; i < count; ++i) queue.push_back({true, first + i});
    for (std::uint32_t i = 0; i < count; ++i) queue.push_back({false, first + i});
  }
}

class EventReplay {
 public:
  /// An update of a stage follows each `per_update` of its backwards.
  EventReplay(const sluice::learn::ModelSpec& spec, const sluice::learn::OptimizerSpec& optimizer,
              std::uint64_t seed, std::uint32_t microbatches, std::uint32_t per_update)
      : spec_(spec),
        seed_(seed),
        per_update_(per_update),
        model_(spec),
        work_(model_.workspace(spec.batch)) {
    seen_.stages = spec.stages;
    seen_.microbatches = microbatches;
    const std::size_t entries = std::size_t{microbatches} * spec.stages;
    for (auto* column : {&seen_.forward, &seen_.backward, &seen_.update}) column->resize(entries);
    for (std::uint32_t s = 0; s < spec.stages; ++s) {
      const auto& parameters = model_.stages()[s];
      optimizers_.emplace_back(optimizer, parameters);
      weights_.emplace_back(parameters.size());
      sums_.emplace_back(parameters.size());
      parameters.initialise(seed, s, weights_[s].data());
    }
    summed_.resize(spec.stages);
    version_.resize(spec.stages);
  }

  /// False when the queues wait for each other before they are empty.
  bool run(const Queues& queues) {
    std::vector<std::size_t> at(queues.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t s = 0; s < queues.size(); ++s) {
        for (; at[s] < queues[s].size() && play(s, queues[s][at[s]]); ++at[s]) moved = true;
      }
    }
    for (std::uint32_t s = 0; s < queues.size(); ++s)
      if (at[s] < queues[s].size()) return false;
    return true;
  }

  /// Which version each pass happened to read.
  [[nodiscard]] const sluice::VersionTable& seen() const { return seen_; }
  /// As Training::weights_hash.
  [[nodiscard]] std::uint64_t weights_hash() const {
    sluice::Hasher hash;
    for (const auto& values : weights_)
      for (const float value : values) hash.add(sluice::bit_cast<std::uint32_t>(value));
    return hash.value();
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  using Values = std::vector<float>;

  bool play(std::uint32_t s, const Pass& pass) {
    return pass.forward ? forward(s, pass.microbatch) : backward(s, pass.microbatch);
  }

  bool forward(std::uint32_t s, std::uint32_t i) {
    Values x;
    if (s > 0 && !receive(activations_, {i, s}, x)) return false;
    Values y(spec_.batch * model_.boundary());
    Values& kept = kept_[{i, s}];
    kept.resize(spec_.batch * model_.kept(s));
    model_.load(seed_, i * spec_.batch, spec_.batch, batch_);
    model_.forward(s, batch_, x.data(), weights_[s].data(), kept.data(), y.data(), work_);
    if (s + 1 < spec_.stages) activations_[{i, s + 1}] = std::move(y);
    seen_.forward[seen_.at(i, s)] = version_[s];
    return true;
  }

  bool backward(std::uint32_t s, std::uint32_t i) {
    const auto kept = kept_.find({i, s});
    if (kept == kept_.end()) return false;
    Values dy;
    if (s + 1 < spec_.stages && !receive(gradients_, {i, s}, dy)) return false;
    Values dx(spec_.batch * model_.boundary());
    Values gradient(weights_[s].size());
    model_.load(seed_, i * spec_.batch, spec_.batch, batch_);
    model_.backward(s, batch_, dy.data(), kept->second.data(), weights_[s].data(), dx.data(),
                    gradient.data(), work_);
    kept_.erase(kept);
    if (s > 0) gradients_[{i, s - 1}] = std::move(dx);
    seen_.backward[seen_.at(i, s)] = version_[s];
    seen_.update[seen_.at(i, s)] = version_[s];
    for (std::size_t k = 0; k < gradient.size(); ++k)
      sums_[s][k] = summed_[s] == 0 ? gradient[k] : sums_[s][k] + gradient[k];
    if (++summed_[s] == per_update_) update(s);
    return true;
  }

  void update(std::uint32_t s) {
    for (float& g : sums_[s]) g /= static_cast<float>(per_update_);
    Values next(weights_[s].size());
    Values change(next.size());
    optimizers_[s].step(1, sums_[s].data(), weights_[s].data(), next.data(), change.data());
    weights_[s] = std::move(next);
    ++version_[s];
    summed_[s] = 0;
  }

  static bool receive(std::map<Key, Values>& mail, Key key, Values& out) {
    const auto found = mail.find(key);
    if (found == mail.end()) return false;
    out = std::move(found->second);
    mail.erase(found);
    return true;
  }

  sluice::learn::ModelSpec spec_;
  std::uint64_t seed_;
  std::uint32_t per_update_;
  sluice::learn::Model<float> model_;
  sluice::learn::Workspace<float> work_;
  sluice::learn::Batch<float> batch_;
  std::vector<sluice::learn::Optimizer> optimizers_;
  std::vector<Values> weights_;
  std::vector<Values> sums_;
  std::vector<std::uint32_t> summed_;
  std::vector<std::uint32_t> version_;
  std::map<Key, Values> activations_;
  std::map<Key, Values> gradients_;
  std::map<Key, Values> kept_;
  sluice::VersionTable seen_;
};

}  // namespace sluice_test
