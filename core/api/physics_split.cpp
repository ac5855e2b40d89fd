#include "api/physics_split.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/run.hpp"
#include "io/json.hpp"

namespace sluice {
namespace {

constexpr const char* kPrefix = "simulation.options.";

struct Switch {
  const char* option;
  const char* hops;
  const char* sluice;
};

/// Those that can change a number; `capacity` decides only whether there is one.
constexpr Switch kSwitches[] = {
    {"cost_model", "hops_roofline", "roofline"},
    {"locality_penalty", "true", "false"},
    {"policies", "hops", "static_orders"},
    {"link_share", "per_pair_at_start", "fair"},
    {"allreduce_over", "stages", "replicas"},
    {"failure_effect", "delay_starts", "interrupt"},
    {"throughput_until", "last_backward", "work_end"},
};

bool written(const std::vector<Setting>& settings, const std::string& path) {
  return std::any_of(settings.begin(), settings.end(),
                     [&](const Setting& s) { return s.path == path; });
}

Result<PhysicsStep> play(std::string_view text, const std::vector<Setting>& settings) {
  const Result<std::shared_ptr<const Run>> run = simulate(text, settings);
  if (!run) return run.diagnostics();
  const Summary& s = run.value()->summary();
  PhysicsStep out;
  out.makespan = s.makespan;
  constexpr double kMsPerSecond = 1000;
  out.throughput_per_s = s.throughput_per_ms * kMsPerSecond;
  out.bubble = s.bubble.idle_over_makespan;
  for (const Bytes b : s.peak_memory) out.peak_memory = std::max(out.peak_memory, b);
  return out;
}

}  // namespace

Result<std::vector<PhysicsStep>> split_physics(std::string_view text,
                                               const std::vector<Setting>& settings) {
  // Memory that is too small is said, not refused, in either physics.
  std::vector<Setting> now = settings;
  now.push_back({"simulation.physics", "hops"});
  now.push_back({std::string(kPrefix) + "capacity", "warn"});
  std::vector<PhysicsStep> out;
  const auto add = [&](const std::string& option, const std::string& change) -> Diagnostics {
    Result<PhysicsStep> step = play(text, now);
    if (!step) return step.diagnostics();
    step.value().option = option;
    step.value().change = change;
    out.push_back(std::move(step).value());
    return {};
  };
  Diagnostics problems = add("", "physics: hops");
  for (const Switch& s : kSwitches) {
    const std::string path = std::string(kPrefix) + s.option;
    if (!problems.empty()) return problems;
    if (written(settings, path)) continue;
    now.push_back({path, s.sluice});
    problems = add(s.option, std::string(s.hops) + " to " + s.sluice);
  }
  if (!problems.empty()) return problems;
  for (Setting& s : now) {
    if (s.path == "simulation.physics") s.value = "sluice";
  }
  problems = add("units", "links, memory and preset devices in their own units");
  if (!problems.empty()) return problems;
  return out;
}

std::string physics_json(const std::vector<PhysicsStep>& steps, int indent) {
  Json list = Json::array();
  for (const PhysicsStep& s : steps) {
    list.push_back({{"option", s.option},
                    {"change", s.change},
                    {"makespan_ms", to_ms(s.makespan)},
                    {"throughput_per_s", s.throughput_per_s},
                    {"bubble", s.bubble},
                    {"peak_memory_bytes", s.peak_memory.value}});
  }
  return json_text({{"steps", list}}, indent);
}

}  // namespace sluice
