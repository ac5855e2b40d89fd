#include "learn/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/compat.hpp"
#include "base/hash.hpp"

namespace sluice::learn {
namespace {

// Microbatches whose mean loss says whether a run is lost.
constexpr std::uint32_t kRecent = 64;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

Diagnostics check_lists(const ArmSpec& spec) {
  Diagnostics out;
  const auto refuse = [&](const char* path, std::string message) {
    out.push_back(error(Code::ValueRange, path, std::move(message)));
  };
  const std::uint32_t count = spec.table.microbatches;
  const std::string entries = "one entry for each of " + std::to_string(count) + " microbatches";
  if (spec.table.stages != spec.model.stages) {
    refuse("versions", "the table has " + std::to_string(spec.table.stages) +
                           " stages, the model " + std::to_string(spec.model.stages));
  }
  if (!spec.samples.empty() && spec.samples.size() != count)
    refuse("samples", "there must be " + entries + ", or none");
  for (const std::uint32_t samples : spec.samples) {
    if (samples >= 1 && samples <= spec.model.batch) continue;
    refuse("samples", "a microbatch has at least 1 sample and at most the model's batch, " +
                          std::to_string(spec.model.batch));
    break;
  }
  if (std::uint64_t{count} * spec.model.batch > std::numeric_limits<std::uint32_t>::max())
    refuse("versions", "a run has fewer than 2^32 samples");
  if (!spec.weights.empty() && spec.weights.size() != count)
    refuse("weights", "there must be " + entries + ", or none");
  for (const float weight : spec.weights) {
    if (std::isfinite(weight)) continue;
    refuse("weights", "a weight must be finite");
    break;
  }
  if (spec.test_every == 0) refuse("test_every", "must be at least 1");
  return out;
}

std::uint64_t bytes(const Model<float>& model, const TableNeeds& needs, bool predict) {
  std::uint64_t out = 0;
  for (std::size_t s = 0; s < needs.depth.size(); ++s)
    out += std::uint64_t{needs.depth[s]} * model.stages()[s].size() * sizeof(float);
  return predict ? 2 * out : out;
}

}  // namespace

Result<Training> Training::start(ArmSpec spec) {
  Diagnostics wrong = check(spec.model);
  for (const Diagnostics& found : {check(spec.optimizer), check_lists(spec)})
    wrong.insert(wrong.end(), found.begin(), found.end());
  if (!wrong.empty()) return wrong;
  auto needs = table_needs(spec.table);
  if (!needs) return needs.diagnostics();
  Model<float> model(spec.model);
  if (bytes(model, needs.value(), spec.optimizer.predict) > kMostBytes) {
    return error(Code::CapacityExceeded, "versions",
                 "the versions that are needed at once take more than 1 GiB",
                 "a smaller model, or a schedule that keeps fewer versions");
  }
  return Training(std::move(spec), std::move(needs).value(), std::move(model));
}

Training::Training(ArmSpec spec, TableNeeds needs, Model<float> model)
    : spec_(std::move(spec)),
      needs_(std::move(needs)),
      model_(std::move(model)),
      work_(model_.workspace(spec_.model.batch)),
      here_(spec_.model.batch * model_.boundary()),
      there_(here_.size()) {
  const std::size_t batch = spec_.model.batch;
  std::size_t most = 0;
  std::size_t most_kept = 0;
  for (std::uint32_t s = 0; s < spec_.model.stages; ++s) {
    const StageParameters& parameters = model_.stages()[s];
    const std::size_t size = parameters.size();
    const std::size_t kept = batch * model_.kept(s);
    stages_.push_back(
        Stage{.versions = VersionRing(needs_.depth[s], size),
              .changes = VersionRing(needs_.depth[s], spec_.optimizer.predict ? size : 0),
              .optimizer = Optimizer(spec_.optimizer, parameters),
              .sum = std::vector<float>(size),
              .kept = std::vector<float>(kept)});
    parameters.initialise(spec_.seed, s, stages_[s].versions.first());
    most = std::max(most, size);
    most_kept = std::max(most_kept, kept);
  }
  gradient_.resize(most);
  change_.resize(most);
  if (spec_.optimizer.predict) predicted_.resize(most);
  unread_.resize(most_kept);
}

bool Training::step(std::uint32_t microbatches) {
  for (std::uint32_t k = 0; k < microbatches && !over(); ++k) microbatch();
  return over();
}

void Training::microbatch() {
  const std::uint32_t count = spec_.samples.empty() ? spec_.model.batch : spec_.samples[done_];
  model_.load(spec_.seed, static_cast<std::uint32_t>(samples_), count, batch_);
  double loss = 0;
  if (!forward(loss)) {
    diverged_ = true;
    return;
  }
  backward();
  ++done_;
  samples_ += count;
  note(loss);
}

bool Training::forward(double& loss) {
  for (std::uint32_t s = 0; s < stages_.size(); ++s) {
    loss = model_.forward(s, batch_, here_.data(), forward_weights(s), stages_[s].kept.data(),
                          there_.data(), work_);
    here_.swap(there_);
  }
  return std::isfinite(loss);
}

void Training::backward() {
  for (std::uint32_t s = spec_.model.stages; s-- > 0;) {
    Stage& stage = stages_[s];
    const std::size_t at = spec_.table.at(done_, s);
    model_.backward(s, batch_, here_.data(), stage.kept.data(),
                    stage.versions.at(spec_.table.backward[at]), there_.data(), gradient_.data(),
                    work_);
    here_.swap(there_);
    add(stage);
    if (done_ + 1 == total() ||
        spec_.table.update[at + spec_.table.stages] != spec_.table.update[at])
      update(s);
  }
}

const float* Training::forward_weights(std::uint32_t s) {
  Stage& stage = stages_[s];
  const std::size_t at = spec_.table.at(done_, s);
  const std::uint32_t version = spec_.table.forward[at];
  const float* weights = stage.versions.at(version);
  const std::uint32_t delay = spec_.table.update[at] - version;
  if (!spec_.optimizer.predict || delay == 0) return weights;
  const auto ahead = static_cast<float>(delay);
  const float* change = stage.changes.at(version);
  for (std::size_t k = 0; k < stage.sum.size(); ++k) predicted_[k] = weights[k] - ahead * change[k];
  return predicted_.data();
}

void Training::add(Stage& stage) {
  const std::size_t size = stage.sum.size();
  float* sum = stage.sum.data();
  if (!spec_.weights.empty()) {
    const float weight = spec_.weights[done_];
    for (std::size_t k = 0; k < size; ++k) gradient_[k] *= weight;
  }
  if (stage.summed == 0) {
    std::copy_n(gradient_.data(), size, sum);
  } else {
    for (std::size_t k = 0; k < size; ++k) sum[k] += gradient_[k];
  }
  ++stage.summed;
}

void Training::update(std::uint32_t s) {
  Stage& stage = stages_[s];
  const std::size_t size = stage.sum.size();
  if (spec_.weights.empty()) {
    const auto count = static_cast<float>(stage.summed);
    for (float& g : stage.sum) g /= count;
  }
  double scale = 1;
  const OptimizerSpec& optimizer = spec_.optimizer;
  if (optimizer.scale_by_delay) scale /= 1 + needs_.delay[s];
  if (done_ + 1 < optimizer.warm_up)
    scale *= static_cast<double>(done_ + 1) / static_cast<double>(optimizer.warm_up);
  stage.optimizer.step(scale, stage.sum.data(), stage.versions.at(stage.versions.newest()),
                       stage.versions.next(), change_.data());
  if (optimizer.predict) std::copy_n(change_.data(), size, stage.changes.next());
  stage.versions.push();
  stage.changes.push();
  stage.summed = 0;
}

void Training::note(double loss) {
  const auto count = static_cast<double>(batch_.samples);
  since_point_ += loss * count;
  samples_since_point_ += batch_.samples;
  recent_ += loss;
  if (++in_recent_ == kRecent) {
    if (recent_ > model_.hopeless() * kRecent) diverged_ = true;
    recent_ = 0;
    in_recent_ = 0;
  }
  if (diverged_ || (done_ % spec_.test_every != 0 && done_ != total())) return;
  const double tested = test();
  if (!std::isfinite(tested)) {
    diverged_ = true;
    return;
  }
  curve_.push_back({.samples = samples_,
                    .train = since_point_ / static_cast<double>(samples_since_point_),
                    .test = tested});
  since_point_ = 0;
  samples_since_point_ = 0;
}

double Training::test() {
  const std::uint32_t all = model_.test_samples();
  double sum = 0;
  for (std::uint32_t first = 0; first < all; first += spec_.model.batch) {
    const std::uint32_t count = std::min(spec_.model.batch, all - first);
    model_.load_test(first, count, batch_);
    double loss = 0;
    for (std::uint32_t s = 0; s < stages_.size(); ++s) {
      loss =
          model_.forward(s, batch_, here_.data(), weights(s), unread_.data(), there_.data(), work_);
      here_.swap(there_);
    }
    sum += loss * static_cast<double>(count);
  }
  return sum / static_cast<double>(all);
}

std::optional<double> Training::test_loss() const {
  if (diverged_ || done_ != total() || curve_.empty()) return std::nullopt;
  return curve_.back().test;
}

const float* Training::weights(std::uint32_t stage) const {
  const VersionRing& versions = stages_[stage].versions;
  return versions.at(versions.newest());
}

std::uint64_t Training::weights_hash() const {
  constexpr std::uint32_t kNotANumber = 0x7FC00000U;  // which bits one has differs by machine
  Hasher hash;
  for (std::uint32_t s = 0; s < stages_.size(); ++s) {
    const float* values = weights(s);
    for (std::size_t k = 0; k < stages_[s].sum.size(); ++k)
      hash.add(std::isnan(values[k]) ? kNotANumber : bit_cast<std::uint32_t>(values[k]));
  }
  return hash.value();
}

}  // namespace sluice::learn
