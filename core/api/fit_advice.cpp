#include "api/fit_advice.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/run.hpp"
#include "base/stable_order.hpp"
#include "io/number.hpp"
#include "io/print_scenario.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kMostTensorParallel = 8;
constexpr std::size_t kMostNamed = 3;

struct Change {
  std::string words;
  std::vector<Setting> settings;
};

struct Tried {
  std::string words;
  bool fits = false;
  Duration makespan;
  /// Of the device that is fullest.
  std::string device;
  Bytes need;
  Bytes capacity;
};

std::string stage_path(std::size_t stage, const char* key) {
  return "pipeline.stages[" + std::to_string(stage) + "]." + key;
}

class Adviser {
 public:
  explicit Adviser(const Loaded& loaded)
      : loaded_(loaded),
        pipeline_(loaded.scenario.pipeline),
        text_(print_scenario(loaded.scenario)),
        by_layers_(std::any_of(pipeline_.stages.begin(), pipeline_.stages.end(),
                               [](const StageSpec& s) { return s.layers.has_value(); })) {}

  std::string advise() {
    // Changes are tried in one pipeline.
    if (!loaded_.scenario.pipelines.empty()) return "";
    const std::optional<Tried> now = play({});
    if (!now) return "";
    const std::vector<Change> changes = single_changes();
    std::vector<Tried> fitting;
    for (const Change& change : changes) add_if_fits(change, fitting);
    if (fitting.empty()) add_together(changes, fitting);
    sort_stably(fitting, [](const Tried& a, const Tried& b) { return a.makespan < b.makespan; });
    if (fitting.size() > kMostNamed) fitting.resize(kMostNamed);
    std::string text;
    for (const Tried& t : fitting)
      text += (text.empty() ? "fits with " : "; or with ") + in_words(t, now->makespan);
    return text;
  }

 private:
  // Those that need least from the user first.
  [[nodiscard]] std::vector<Change> single_changes() const {
    std::vector<Change> out;
    add_schedule(out, "1f1b");
    if (by_layers_) {
      const bool unfused = pipeline_.model && pipeline_.model->attention == AttentionKind::Unfused;
      if (unfused && pipeline_.recompute == Recompute::None) add_recompute(out, "selective");
      if (pipeline_.recompute != Recompute::Full) add_recompute(out, "full");
      add_micro_batch(out);
      if (pipeline_.data_parallel > 1 && !pipeline_.distributed_optimizer)
        add(out, "distributed_optimizer: true", "pipeline.distributed_optimizer", "true");
      add_tensor_parallel(out);
    }
    add_schedule(out, "v_min");
    return out;
  }

  static void add(std::vector<Change>& out, const std::string& words, const std::string& path,
                  const std::string& value) {
    out.push_back({words, {}});
    set(out, path, value);
  }

  // One more key of the last change.
  static void set(std::vector<Change>& out, const std::string& path, const std::string& value) {
    out.back().settings.push_back({path, value});
  }

  void add_schedule(std::vector<Change>& out, const std::string& name) const {
    if (loaded_.program.plan.resolved != name)
      add(out, "schedule: " + name, "pipeline.schedule", name);
  }

  void add_recompute(std::vector<Change>& out, const std::string& preset) const {
    add(out, "recompute: " + preset, "pipeline.recompute", preset);
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) {
      if (pipeline_.stages[s].recompute) set(out, stage_path(s, "recompute"), preset);
    }
  }

  // As many samples a step as before.
  void add_micro_batch(std::vector<Change>& out) const {
    if (pipeline_.micro_batch_size % 2 != 0) return;
    const std::string size = std::to_string(pipeline_.micro_batch_size / 2);
    const std::string count = std::to_string(2 * loaded_.scenario.simulation.microbatches);
    add(out, "micro_batch_size: " + size + " and microbatches: " + count,
        "pipeline.micro_batch_size", size);
    set(out, "simulation.microbatches", count);
  }

  void add_tensor_parallel(std::vector<Change>& out) const {
    std::int64_t most = 0;
    for (const StageSpec& s : pipeline_.stages) most = std::max(most, 2 * s.tensor_parallel);
    if (most > kMostTensorParallel) return;
    out.push_back({most == 2 ? "tensor_parallel: 2" : "tensor_parallel doubled", {}});
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) {
      set(out, stage_path(s, "tensor_parallel"),
          std::to_string(2 * pipeline_.stages[s].tensor_parallel));
    }
  }

  void add_if_fits(const Change& change, std::vector<Tried>& fitting) const {
    std::optional<Tried> tried = play(change.settings);
    if (!tried || !tried->fits) return;
    tried->words = change.words;
    fitting.push_back(std::move(*tried));
  }

  // One after the other on top; those that cannot be combined are left out.
  void add_together(const std::vector<Change>& changes, std::vector<Tried>& fitting) const {
    Change all;
    for (const Change& change : changes) {
      Change more = all;
      more.words += (all.words.empty() ? "" : ", ") + change.words;
      more.settings.insert(more.settings.end(), change.settings.begin(), change.settings.end());
      if (!play(more.settings)) continue;
      all = std::move(more);
      add_if_fits(all, fitting);
      if (!fitting.empty()) return;
    }
  }

  // One step of the changed scenario; nothing when it is refused or does not end.
  [[nodiscard]] std::optional<Tried> play(std::vector<Setting> settings) const {
    settings.push_back({"simulation.batches", "1"});
    const auto run = simulate(text_, settings);
    if (!run) return std::nullopt;
    const Summary& s = run.value()->summary();
    Tried out;
    out.fits = s.fits;
    out.makespan = s.makespan;
    double fullest = -1;
    for (std::size_t d = 0; d < s.peak_memory.size(); ++d) {
      const double share = static_cast<double>(s.peak_memory[d].value) /
                           static_cast<double>(s.memory_capacity[d].value);
      if (!s.holds_stages[d] || share <= fullest) continue;
      fullest = share;
      out.device = run.value()->program().machine.devices[d].id;
      out.need = s.peak_memory[d];
      out.capacity = s.memory_capacity[d];
    }
    return out;
  }

  [[nodiscard]] static std::string in_words(const Tried& t, Duration now) {
    const auto gib = [](Bytes b) { return short_text(static_cast<double>(b.value) / kGiB, 3); };
    return t.words + " (\"" + t.device + "\" then needs " + gib(t.need) + " of " + gib(t.capacity) +
           " GiB, a step takes " + short_text(to_ms(t.makespan) / to_ms(now), 3) +
           " times as long)";
  }

  const Loaded& loaded_;
  const PipelineSection& pipeline_;
  std::string text_;
  bool by_layers_;
};

}  // namespace

std::string fit_advice(const Loaded& loaded) {
  if (loaded.program.operations_per_batch > kMostAdvisedOperations) return "";
  return Adviser(loaded).advise();
}

}  // namespace sluice
