#include "api/replay_scenario.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "io/number.hpp"

namespace sluice {
namespace {

/// Recorded times are whole ns; more digits would be noise of the mean.
constexpr double kPerMs = 1e6;
constexpr double kUsPerMs = 1000;
/// So fast that only the latency counts.
constexpr const char* kNoWireTime = "1000000";

std::string ms(double value) {
  return number_text(std::floor(value * kPerMs + 0.5) / kPerMs);
}

/// A name that YAML reads as text without quotes.
bool plain_name(const std::string& name) {
  const auto letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(), letter);
}

/// The time of a message by the benchmark, inverted: linear between points, and from nothing to the
/// first.
double size_of_time(const std::vector<LinkSample>& points, double time_ms) {
  LinkSample before;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const LinkSample& p = points[i];
    const double rise = p.time_ms - before.time_ms;
    const bool last = i + 1 == points.size();
    if (rise > 0 && (time_ms <= p.time_ms || last)) {
      return std::fmax(
          0, before.size_MiB + (p.size_MiB - before.size_MiB) * (time_ms - before.time_ms) / rise);
    }
    before = p;
  }
  return before.size_MiB;
}

class Writer {
 public:
  Writer(const ReplaySource& source, const Presets& presets)
      : run_(source.run),
        f_(source.figures),
        source_(source),
        presets_(presets),
        places_(places_of_entries(source.run)) {
    const Calibration& c = *presets.calibration(kLocalCalibration);
    calibration_ = c.name;
    if (source.blocking_calls) host_ms_ = c.constants.call_before_ms + c.constants.call_after_ms;
    name_devices();
  }

  std::string write() {
    out_ =
        "# title: Replay of a recorded run\n"
        "# Made by sluice import. Times are those of the trace: a replay, not a prediction.\n";
    line("# iterations " + std::to_string(f_.first_iteration) + " to " +
         std::to_string(f_.last_iteration) +
         "; warm-up left out: " + std::to_string(f_.warm_up_dropped));
    line("simulation:");
    line("  batches: " + std::to_string(f_.iterations));
    line("  microbatches: " + std::to_string(f_.microbatches));
    line("  transfers: bandwidth");
    if (source_.blocking_calls) {
      line("  # blocking calls, as Megatron makes them; host time of the calibration");
      line("  communication: calls");
    }
    if (!steps_wait()) {
      line("  # in the trace ranks go on to the next step without each other");
      line("  step_barrier: false");
    }
    write_pipeline();
    write_hardware();
    write_optimizer();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }

  [[nodiscard]] bool steps_wait() const { return f_.pause.median_ms >= 0; }

  void name_devices() {
    std::set<std::string> seen;
    bool plain = true;
    for (const std::size_t place : places_) {
      const std::string& name = run_.ranks[place].device;
      plain = plain && plain_name(name) && seen.insert(name).second;
    }
    for (const std::size_t place : places_) {
      const RankTrace& r = run_.ranks[place];
      ids_.push_back(plain ? r.device : "rank" + std::to_string(r.rank));
    }
  }

  void write_pipeline() {
    line("pipeline:");
    if (source_.order.name != "none") {
      line("  # the order that every rank kept to");
      line("  schedule: " + source_.order.name);
    } else {
      write_order();
    }
    line("  # " + message_origin());
    line("  activation_mb: " + number_text(message_));
    if (source_.blocking_calls) line("  calibration: " + calibration_);
    if (f_.input_grad_share) {
      line("  # share of I in I + W, over all stages");
      line("  backward_split: {activation_grad_fraction: " + ms(*f_.input_grad_share) + "}");
    }
    line("  stages:");
    for (std::size_t entry = 0; entry < places_.size(); ++entry) write_stage(entry);
  }

  // The observed order, which no name stands for.
  void write_order() {
    line("  # the most frequent order of each rank");
    line("  schedule:");
    line("    order:");
    for (const std::size_t place : places_) line("      - \"" + source_.order.ranks[place] + "\"");
    std::string down;
    for (const std::size_t place : run_.place_of_stage) {
      const auto entry = std::find(places_.begin(), places_.end(), place) - places_.begin();
      down += (down.empty() ? "" : ", ") + std::to_string(entry);
    }
    line("    placement: {down: [" + down + "]}");
  }

  // An entry has the sum of its rank's stages, which the engine divides over them evenly.
  void write_stage(std::size_t entry) {
    const std::size_t place = places_[entry];
    double forward = 0;
    double backward = 0;
    std::string of;
    for (std::size_t s = 0; s < run_.place_of_stage.size(); ++s) {
      if (run_.place_of_stage[s] != place) continue;
      const DurationFigures& fwd = f_.forward[s];
      const DurationFigures& bwd = f_.backward[s];
      forward += fwd.mean_ms;
      backward += bwd.mean_ms;
      line("    # stage " + std::to_string(s) + ", mean of " + std::to_string(fwd.count) +
           ": forward median " + ms(fwd.median_ms) + ", std " + ms(fwd.std_ms) +
           "; backward median " + ms(bwd.median_ms) + ", std " + ms(bwd.std_ms));
    }
    std::string text = "    - {device: " + ids_[entry] +
                       ", weights_mb: 0, compute: {mode: explicit, distribution: " + ms(forward) +
                       "}, backward: {distribution: " + ms(backward) + "}";
    if (f_.updates) text += ", update: " + ms(f_.update[place].mean_ms);
    line(text + "}");
  }

  void write_hardware() {
    line("hardware:");
    line("  # presets by the devices' names; times do not depend on them, memory is not recorded");
    line("  devices:");
    for (std::size_t entry = 0; entry < places_.size(); ++entry) {
      const RankTrace& r = run_.ranks[places_[entry]];
      const std::string node = plain_name(r.host) ? r.host : "host" + std::to_string(r.rank);
      line("    - {id: " + ids_[entry] + ", gpu: " + preset_of(r.device) + ", node: " + node +
           ", socket: 0}");
    }
    if (places_.size() < 2) return;
    line("  links:");
    if (source_.links.empty()) {
      line("  # from the end of one operation to the start of the one that waits for it, median" +
           std::string(host_ms_ > 0 ? ", less the host time of calls" : ""));
    }
    double slowest = 0;
    for (const auto& [pair, hop_ms] : wires()) {
      slowest = std::fmax(slowest, hop_ms);
      const BenchedLink* bench = bench_of(pair);
      const std::string ends =
          "    - {from: " + ids_[pair.first] + ", to: " + ids_[pair.second] + ", oneway: true, ";
      if (bench == nullptr) {
        line(ends + latency(hop_ms));
      } else {
        line("    # raw points of the link benchmark, pair_" + std::to_string(bench->from_stage) +
             "_" + std::to_string(bench->to_stage));
        line(ends + points(*bench));
      }
    }
    line("  # pairs that sent nothing: as the slowest of the others");
    line("    - {default: true, " + latency(slowest));
  }

  static std::string latency(double hop_ms) {
    return std::string("bandwidth_GBps: ") + kNoWireTime +
           ", latency_us: " + ms(hop_ms * kUsPerMs) + "}";
  }

  static std::string points(const BenchedLink& bench) {
    std::string out = "points: [";
    for (const LinkSample& p : bench.points) {
      out += (&p == &bench.points.front() ? "{size_MiB: " : ", {size_MiB: ") +
             number_text(p.size_MiB) + ", time_ms: " + number_text(p.time_ms) + "}";
    }
    return out + "]}";
  }

  using Pair = std::pair<std::size_t, std::size_t>;

  [[nodiscard]] std::size_t entry_of_stage(std::int32_t stage) const {
    const std::size_t place = run_.place_of_stage[static_cast<std::size_t>(stage)];
    return static_cast<std::size_t>(std::find(places_.begin(), places_.end(), place) -
                                    places_.begin());
  }

  // By pair of entries: what a message takes beside the host time of calls. Several stages on a
  // rank share its links: the slowest hop counts.
  [[nodiscard]] std::map<Pair, double> wires() const {
    std::map<Pair, double> out;
    for (const HopFigures& hop : f_.hops) {
      double& wire = out[{entry_of_stage(hop.from_stage), entry_of_stage(hop.to_stage)}];
      wire = std::fmax(wire, hop.time.median_ms - host_ms_);
    }
    return out;
  }

  [[nodiscard]] const BenchedLink* bench_of(const Pair& pair) const {
    for (const BenchedLink& b : source_.links) {
      if (b.from_stage >= run_.stages || b.to_stage >= run_.stages) continue;
      const Pair there{entry_of_stage(b.from_stage), entry_of_stage(b.to_stage)};
      if (there == pair || Pair{there.second, there.first} == pair) return &b;
    }
    return nullptr;
  }

  // Sets the size of a message and says where it comes from.
  std::string message_origin() {
    if (source_.message_MiB) {
      message_ = *source_.message_MiB;
      return "size of a message as it was given, in MiB";
    }
    std::vector<double> sizes;
    for (const auto& [pair, wire] : wires()) {
      if (const BenchedLink* bench = bench_of(pair))
        sizes.push_back(size_of_time(bench->points, wire));
    }
    if (sizes.empty())
      return "not in the trace: the links below take what messages took, whatever their size";
    std::stable_sort(sizes.begin(), sizes.end());
    message_ = std::floor(sizes[sizes.size() / 2] * kUsPerMs + 0.5) / kUsPerMs;
    return "not in the trace: the size that takes as long in the link benchmark as messages took "
           "here; --message-MiB sets it";
  }

  // The longest name of a preset that the device's name holds.
  [[nodiscard]] std::string preset_of(std::string device) const {
    for (char& c : device) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string found;
    for (const DevicePreset& p : presets_.devices) {
      const bool fits =
          p.device_class == DeviceClass::Gpu && device.find(p.name) != std::string::npos;
      if (fits && p.name.size() > found.size()) found = p.name;
    }
    return found.empty() ? "a100" : found;
  }

  void write_optimizer() {
    const bool pause = steps_wait() && f_.pause.count > 0;
    if (!f_.updates && !pause) return;
    line("optimizer:");
    if (f_.updates) {
      double longest = 0;
      for (const DurationFigures& u : f_.update) longest = std::fmax(longest, u.mean_ms);
      line("  enabled: true");
      line("  # every stage has its own, the mean of its rank's; this is the longest");
      line("  update: " + ms(longest));
    }
    if (!pause) return;
    line(
        "  # from a step's last backward to the next step, less the longest update: reductions, "
        "host, waiting. Median of " +
        std::to_string(f_.pause.count) + ", mean " + ms(f_.pause.mean_ms) + ", std " +
        ms(f_.pause.std_ms));
    line("  iteration_barrier: " + ms(f_.pause.median_ms));
  }

  const TracedRun& run_;
  const TraceFigures& f_;
  const ReplaySource& source_;
  const Presets& presets_;
  std::vector<std::size_t> places_;
  std::vector<std::string> ids_;
  std::string calibration_;
  double host_ms_ = 0;
  double message_ = 0;
  std::string out_;
};

}  // namespace

std::vector<std::size_t> places_of_entries(const TracedRun& run) {
  if (run.place_of_stage.size() == run.ranks.size()) return run.place_of_stage;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) out.push_back(i);
  return out;
}

std::string replay_scenario(const ReplaySource& source, const Presets& presets) {
  return Writer(source, presets).write();
}

}  // namespace sluice
