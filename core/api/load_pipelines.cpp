#include "api/load_pipelines.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cost/gradient_groups.hpp"
#include "cost/layers.hpp"
#include "cost/step.hpp"
#include "schedule/several.hpp"

namespace sluice {
namespace {

std::string path_of(std::size_t pipeline) {
  return "pipelines[" + std::to_string(pipeline) + "]";
}

// What one pipeline says of its `pipeline`, it says at its place in the list.
Diagnostics placed(Diagnostics diagnostics, std::size_t pipeline) {
  constexpr std::string_view kOwn = "pipeline";
  for (Diagnostic& d : diagnostics) {
    if (d.path.rfind(kOwn, 0) == 0 && (d.path.size() == kOwn.size() || d.path[kOwn.size()] == '.'))
      d.path.replace(0, kOwn.size(), path_of(pipeline));
    if (d.path == "simulation.microbatches") d.path = path_of(pipeline) + ".local_batch";
  }
  return diagnostics;
}

class PipelinesLoader {
 public:
  PipelinesLoader(const ReadScenario& read, const Presets& presets)
      : read_(read), presets_(presets) {
    out_.scenario = read.scenario;
  }

  Result<Loaded> load() {
    check();
    for (std::size_t i = 0; problems_.empty() && i < pipelines().size(); ++i) prepare_one(i);
    if (problems_.empty()) check_together();
    if (!problems_.empty()) return refuse();
    merge();
    Result<Program> program = compile(out_.scenario, out_.network, out_.costs,
                                      put_together(plans(), names()), out_.diagnostics);
    if (!program) {
      problems_ = program.diagnostics();
      return refuse();
    }
    out_.program = std::move(program).value();
    add_notes(read_.diagnostics);
    read_.places.locate(out_.diagnostics);
    settle(out_.diagnostics);
    out_.places = read_.places;
    return std::move(out_);
  }

 private:
  static void append(Diagnostics& to, const Diagnostics& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  // What each says of the hardware that all share is said once.
  void add_notes(const Diagnostics& notes) {
    for (const Diagnostic& note : notes) {
      const auto same = [&](const Diagnostic& d) {
        return d.code == note.code && d.path == note.path && d.message == note.message;
      };
      if (std::none_of(out_.diagnostics.begin(), out_.diagnostics.end(), same))
        out_.diagnostics.push_back(note);
    }
  }

  [[nodiscard]] const std::vector<PipelineEntry>& pipelines() const {
    return read_.scenario.pipelines;
  }

  Diagnostics refuse() {
    append(problems_, read_.diagnostics);
    read_.places.locate(problems_);
    settle(problems_);
    return problems_;
  }

  void wrong(Code code, const std::string& path, const std::string& message,
             const std::string& hint = "") {
    problems_.push_back(error(code, path, message, hint));
  }

  void check() {
    const Scenario& s = read_.scenario;
    if (read_.places.origin("simulation.microbatches") == "written") {
      wrong(Code::KeyConflict, "simulation.microbatches",
            "microbatches follow from each pipeline's local_batch and micro_batch_size");
    }
    constexpr std::size_t kMost = 255;
    if (pipelines().size() > kMost)
      wrong(Code::LimitStages, "pipelines", "at most 255 pipelines are simulated");
    if (s.failure.enabled) {
      wrong(Code::ScheduleConstraint, "failure.enabled",
            "failures are not simulated with several pipelines");
    }
    if (!s.simulation.step_barrier) {
      wrong(Code::ScheduleConstraint, "simulation.step_barrier",
            "several pipelines end a step together; they need step_barrier: true");
    }
    const PipelineSection& first = pipelines().front().pipeline;
    for (std::size_t i = 0; i < pipelines().size(); ++i) {
      const PipelineEntry& p = pipelines()[i];
      if (p.local_batch % p.pipeline.micro_batch_size != 0) {
        wrong(Code::ValueRange, path_of(i) + ".local_batch",
              std::to_string(p.local_batch) + " samples are not whole microbatches of " +
                  std::to_string(p.pipeline.micro_batch_size));
      }
      if (p.pipeline.data_parallel != 1) {
        wrong(Code::KeyConflict, path_of(i) + ".data_parallel",
              "several pipelines are each other's replicas", "list each of them");
      }
      if (p.pipeline.precision != first.precision)
        wrong(Code::KeyConflict, path_of(i) + ".precision", "all pipelines have one precision");
      if (p.pipeline.model != first.model)
        wrong(Code::KeyConflict, path_of(i) + ".model", "all pipelines train one model");
    }
  }

  void prepare_one(std::size_t i) {
    const PipelineEntry& p = pipelines()[i];
    ReadScenario own{read_.scenario, {}, {}};
    own.scenario.pipelines.clear();
    own.scenario.pipeline = p.pipeline;
    own.scenario.simulation.microbatches = p.local_batch / p.pipeline.micro_batch_size;
    // They name parts of the whole; compiling all together looks at them.
    own.scenario.stragglers.clear();
    Result<Loaded> loaded = prepare(own, presets_);
    if (!loaded) return append(problems_, placed(loaded.diagnostics(), i));
    Diagnostics notes = placed(loaded.value().diagnostics, i);
    // Of one by itself.
    std::erase_if(notes, [](const Diagnostic& d) { return d.code == Code::GradientNoReplicas; });
    add_notes(notes);
    check_plan(loaded.value(), i);
    out_.scenario.pipelines[i].pipeline = loaded.value().scenario.pipeline;
    parts_.push_back(std::move(loaded).value());
  }

  void check_plan(const Loaded& l, std::size_t i) {
    const Plan& plan = l.program.plan;
    const char* what = !plan.order                ? "a policy"
                       : plan.placement.pipes > 1 ? "a schedule of two directions"
                       : plan.slices() > 1        ? "a schedule of slices"
                       : !plan.synchronous        ? "an asynchronous schedule"
                                                  : nullptr;
    if (what != nullptr) {
      wrong(Code::ScheduleConstraint, path_of(i) + ".schedule",
            std::string(what) + " cannot be one of several pipelines");
    }
  }

  // No device in two of them.
  void check_together() {
    std::vector<std::size_t> user(parts_.front().network.devices().size(), parts_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto& stages = pipelines()[i].pipeline.stages;
      for (std::size_t s = 0; s < stages.size(); ++s) {
        std::size_t& other = user[parts_[i].network.id_of(stages[s].device).index()];
        if (other < i) {
          wrong(Code::KeyConflict, path_of(i) + ".stages[" + std::to_string(s) + "].device",
                "\"" + stages[s].device + "\" is in pipeline \"" + pipelines()[other].name + "\"");
        }
        other = i;
      }
    }
  }

  [[nodiscard]] std::vector<Plan> plans() const {
    std::vector<Plan> out;
    for (const Loaded& l : parts_) out.push_back(l.program.plan);
    return out;
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const PipelineEntry& p : pipelines()) out.push_back(p.name);
    return out;
  }

  void merge() {
    out_.network = parts_.front().network;
    merge_scenario();
    merge_costs();
    if (read_.scenario.optimizer.enabled) add_sums();
  }

  void merge_scenario() {
    Scenario& s = out_.scenario;
    s.pipeline = parts_.front().scenario.pipeline;
    s.simulation.microbatches = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Scenario& own = parts_[i].scenario;
      s.simulation.microbatches += own.simulation.microbatches;
      if (i > 0) {
        s.pipeline.stages.insert(s.pipeline.stages.end(), own.pipeline.stages.begin(),
                                 own.pipeline.stages.end());
      }
    }
  }

  void merge_costs() {
    Costs& c = out_.costs;
    c = parts_.front().costs;
    c.stages.clear();
    c.device_updates.clear();
    std::size_t longest = 0;
    for (const Loaded& l : parts_) longest = std::max(longest, l.costs.stages.size());
    for (const Loaded& l : parts_) {
      c.boundary_of_pipe.push_back(l.costs.boundary);
      for (std::size_t s = 0; s < longest; ++s)
        c.stages.push_back(s < l.costs.stages.size() ? l.costs.stages[s] : StageCosts{});
      if (l.costs.certainty.compute < c.certainty.compute) c.certainty = l.costs.certainty;
      if (l.costs.barrier && c.barrier && l.costs.barrier->offset_ms > c.barrier->offset_ms)
        c.barrier = l.costs.barrier;
      const auto& own = l.costs.device_updates;
      if (own.empty()) continue;
      if (c.device_updates.empty()) c.device_updates.assign(own.size(), c.update);
      for (const DeviceId d : l.program.plan.device_of_rank)
        c.device_updates[d.index()] = own[d.index()];
    }
  }

  // Ranks stand for their devices: groups over the same ranks are one sum, whose devices work side
  // by side.
  void add_sums() {
    std::vector<std::vector<HeldLayers>> held;
    for (const Loaded& l : parts_) {
      held.emplace_back();
      for (const StageSpec& s : l.scenario.pipeline.stages) {
        // Times that are written say nothing of parameters; several stages of a rank are not known
        // to the sums.
        if (!s.layers || !l.scenario.pipeline.model || l.program.plan.placement.chunks() > 1)
          return;
        held.back().push_back({static_cast<int>(*s.layers), static_cast<int>(s.tensor_parallel),
                               static_cast<int>(s.data_parallel)});
      }
    }
    forget_own_sums();
    ModelShape model = complete(*pipelines().front().pipeline.model);
    if (model.layers == 0) {
      for (const HeldLayers& h : held.front()) model.layers += h.layers;
    }
    const PipelineSection& first = pipelines().front().pipeline;
    const auto reach = [&](const std::vector<std::uint32_t>& ranks) {
      return ranks.size() > 1 ? slowest(ranks) : inside(ranks.front());
    };
    for (GradientSum& sum :
         gradient_sums(gradient_layout(model, held), read_.scenario.optimizer.gradient_sync,
                       tensors_of(model), gradient_bytes(first.precision), reach)) {
      if (sum.ranks.size() > 1) {
        out_.costs.sums.push_back(std::move(sum));
      } else {
        // Of a stage's own groups alone: before its update, as in one pipeline.
        out_.costs.device_updates[device_of(sum.ranks.front()).index()].offset_ms += sum.ms;
      }
    }
  }

  // What each pipeline by itself sums within its stages is part of the sums of all.
  void forget_own_sums() {
    Costs& c = out_.costs;
    if (c.device_updates.empty()) c.device_updates.assign(out_.network.devices().size(), c.update);
    for (const Loaded& l : parts_) {
      for (const DeviceId d : l.program.plan.device_of_rank)
        c.device_updates[d.index()].offset_ms -= l.costs.replicas.ms;
    }
    c.replicas.ms = 0;
    c.tied.reset();
  }

  [[nodiscard]] DeviceId device_of(std::size_t rank) const {
    std::size_t i = 0;
    while (rank >= parts_[i].program.plan.device_of_rank.size())
      rank -= parts_[i++].program.plan.device_of_rank.size();
    return parts_[i].program.plan.device_of_rank[rank];
  }

  [[nodiscard]] std::optional<Network::Reach> inside(std::size_t rank) const {
    const Calibration* calibration = presets_.calibration(pipelines().front().pipeline.calibration);
    const auto reach =
        replica_reach(out_.network, *calibration, out_.network.devices()[device_of(rank).index()]);
    return reach;
  }

  // Of the ring that joins them.
  [[nodiscard]] std::optional<Network::Reach> slowest(
      const std::vector<std::uint32_t>& ranks) const {
    std::optional<Network::Reach> out;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const Result<Link> link =
          out_.network.link(device_of(ranks[i]), device_of(ranks[(i + 1) % ranks.size()]));
      // Compiling says which is missing.
      if (!link) return std::nullopt;
      if (!out || link.value().bandwidth.value < out->bandwidth.value)
        out = Network::Reach{link.value().bandwidth, link.value().latency};
    }
    return out;
  }

  const ReadScenario& read_;
  const Presets& presets_;
  std::vector<Loaded> parts_;
  Loaded out_;
  Diagnostics problems_;
};

}  // namespace

Result<Loaded> prepare_pipelines(const ReadScenario& read, const Presets& presets) {
  return PipelinesLoader(read, presets).load();
}

}  // namespace sluice
