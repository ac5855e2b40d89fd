#include "api/validate_published.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "api/load.hpp"
#include "engine/engine.hpp"
#include "io/json.hpp"
#include "metrics/summary.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t kSteps = 4;
constexpr std::uint64_t kAllEvents = std::uint64_t{1} << 40;
constexpr std::int64_t kDevicesPerNode = 8;
/// GPT-2's vocabulary, padded to a multiple of 128.
constexpr int kVocabulary = 50304;
/// Papers say GB. Of runs that differ in the microbatches in flight alone, 1F1B with 4 and 16 of
/// the 14.6B model, 11 microbatches take 13 of these: 1.18 each, and by hand 1.163e9 bytes (1.083
/// 2^30).
constexpr double kGB = 1e9;

/// What a table calls a schedule, in our words: name and parameters, chunks, split backward.
struct Named {
  std::string yaml;
  std::int64_t chunks = 1;
  bool split = false;
};

Named schedule_of(const PublishedFacts& f) {
  // The outer stages hold one layer less: with one layer a chunk they have a chunk without.
  const std::int64_t layers = (f.layers + 2) / f.stages;
  if (f.schedule == "interleaved_1f1b")
    return {"{name: interleaved_1f1b, chunks: " + std::to_string(layers) + "}", layers, false};
  if (f.schedule == "zb_1p") return {"zb_auto", 1, true};
  if (f.schedule == "zb_v") return {"{name: zb_v_auto, chunks: 2}", 2, true};
  return {f.schedule, 1, f.schedule.starts_with("zb")};
}

// Layers of the stages in the model's order.
std::string partition_of(const PublishedFacts& f, std::int64_t chunks) {
  const std::int64_t stages = f.stages * chunks;
  const std::int64_t inner = (f.layers + 2) / stages;
  std::int64_t odd = (f.layers + 2) % stages;
  std::string out = "[";
  for (std::int64_t s = 0; s < stages; ++s) {
    const bool outer = s == 0 || s + 1 == stages;
    std::int64_t layers = inner - (outer ? 1 : 0);
    if (!outer && odd > 0) {
      ++layers;
      --odd;
    }
    out += (s == 0 ? "" : ", ") + std::to_string(layers);
  }
  return out + "]";
}

// From the start of one step on the first stage to that of the next.
double period_ms(const Trace& trace) {
  std::vector<std::int64_t> begin(kSteps, -1);
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    if (trace.resource[row] >= trace.devices || trace.stage[row] != 0) continue;
    if (trace.kind_at(row) != OpKind::Forward) continue;
    std::int64_t& first = begin[trace.batch_at(row)];
    if (first < 0 || trace.start[row] < first) first = trace.start[row];
  }
  return to_ms(Time{begin[kSteps - 1] - begin[kSteps - 2]});
}

}  // namespace

std::string scenario_of(const PublishedFacts& f) {
  const Named schedule = schedule_of(f);
  const bool barrier = f.step_barrier || !schedule.split;
  const auto text = [](std::int64_t n) { return std::to_string(n); };
  std::string out =
      "simulation: {batches: " + text(kSteps) + ", microbatches: " + text(f.microbatches) +
      ", transfers: bandwidth, communication: " + (schedule.split ? "async" : "calls") +
      ", step_barrier: " + (barrier ? "true" : "false") + "}\n";
  out += "pipeline:\n  schedule: " + schedule.yaml +
         "\n  precision: fp16\n  micro_batch_size: " + text(f.micro_batch_size) +
         "\n  calibration: megatron_fused\n  model: {layers: " + text(f.layers) +
         ", hidden_dim: " + text(f.hidden_dim) + ", seq_len: " + text(f.seq_len) +
         ", heads: " + text(f.heads) + ", vocab_size: " + text(kVocabulary) +
         // A tied embedding would make the ends of the pipeline wait for each other.
         ", tied_embeddings: " + (barrier ? "true" : "false") +
         ", learned_positions: " + text(f.seq_len) +
         ", attention: unfused}\n  partition: " + partition_of(f, schedule.chunks) +
         "\n  stages:\n";
  for (std::int64_t s = 0; s < f.stages; ++s) out += "    - {device: g" + text(s) + "}\n";
  out += "hardware:\n  devices:\n";
  for (std::int64_t s = 0; s < f.stages; ++s)
    out += "    - {id: g" + text(s) + ", gpu: a100, node: n" + text(s / kDevicesPerNode) +
           ", socket: 0}\n";
  return out +
         "  interconnect: {same_node: nvlink3, cross_node: roce-200}\noptimizer: {enabled: true}\n";
}

Result<PublishedFigures> predict(const PublishedFacts& facts, const Presets& presets) {
  const Result<Loaded> loaded = load_scenario(scenario_of(facts), {}, presets);
  if (!loaded) return loaded.diagnostics();
  const Loaded& l = loaded.value();
  Engine engine(l.program);
  engine.step(kAllEvents);
  if (!engine.finished()) return engine.problems();
  const Summary summary =
      summarize(l.program, l.costs, l.scenario, engine.trace(), engine.failures());
  PublishedFigures out;
  const auto samples = static_cast<double>(facts.microbatches * facts.micro_batch_size);
  constexpr double kMsPerSecond = 1000;
  out.samples_per_gpu_per_s =
      samples / static_cast<double>(facts.stages) / period_ms(engine.trace()) * kMsPerSecond;
  const auto most = std::max_element(summary.peak_memory.begin(), summary.peak_memory.end());
  out.memory_GB = static_cast<double>(most->value) / kGB;
  return out;
}

Result<PublishedValidation> validate_published(const std::vector<PublishedRun>& runs,
                                               const Presets& presets) {
  std::vector<ComparedPublished> rows;
  for (const PublishedRun& run : runs) {
    Result<PublishedFigures> predicted = predict(run.facts, presets);
    if (!predicted) {
      Diagnostics problems = predicted.diagnostics();
      for (Diagnostic& d : problems)
        d.message = run.facts.model + ", " + run.facts.schedule + ": " + d.message;
      return problems;
    }
    ComparedPublished row;
    row.run = run;
    row.predicted = predicted.value();
    rows.push_back(std::move(row));
  }
  return validate_published(std::move(rows));
}

std::string published_json(const PublishedValidation& v, int indent) {
  Json rows = Json::array();
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  for (const ComparedPublished& r : v.rows) {
    const PublishedFacts& f = r.run.facts;
    rows.push_back({{"model", f.model},
                    {"stages", f.stages},
                    {"microbatches", f.microbatches},
                    {"micro_batch_size", f.micro_batch_size},
                    {"schedule", f.schedule},
                    {"step_barrier", f.step_barrier},
                    {"throughput_measured_per_gpu_s", r.run.figures.samples_per_gpu_per_s},
                    {"throughput_predicted_per_gpu_s", r.predicted.samples_per_gpu_per_s},
                    {"throughput_error_pct", r.throughput_error_pct},
                    {"ratio_to_1f1b_error_pct", optional(r.ratio_error_pct)},
                    {"memory_measured_gb", optional(r.run.figures.memory_GB)},
                    {"memory_predicted_gb", optional(r.predicted.memory_GB)},
                    {"memory_error_pct", optional(r.memory_error_pct)}});
  }
  return json_text({{"n", v.rows.size()},
                    {"throughput_mape_pct", v.throughput_mape_pct},
                    {"ratio_to_1f1b_mape_pct", v.ratio_to_1f1b_mape_pct},
                    {"memory_mape_pct", v.memory_mape_pct},
                    {"rows", rows}},
                   indent);
}

}  // namespace sluice
