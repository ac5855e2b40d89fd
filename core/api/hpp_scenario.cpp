// A plan of the planner as the scenario that the engine plays.
#include <utility>

#include "api/hpp_costs.hpp"

namespace sluice {
namespace {

constexpr double kGiga = 1e9;

}  // namespace

Scenario HppCosts::scenario_of(const std::vector<hpp::PlannedPipeline>& pipelines,
                               const std::vector<std::vector<hpp::LayerMix>>& mixes) const {
  const PlanSection& plan = *scenario_.plan;
  Scenario out = scenario_;
  out.plan.reset();
  out.expect.clear();
  out.ui.clear();
  out.output = {};
  out.pipeline = {};
  out.optimizer.enabled = plan.gradient_sync != GradientSync::None;
  out.optimizer.gradient_sync = plan.gradient_sync;
  out.hardware.devices.clear();
  LinkSpec others;
  others.is_default = true;
  others.bandwidth_GBps = plan.cross_node_GBps;
  others.latency_us = plan.cross_node_latency_us;
  out.hardware.links = {others};
  // Stages that share a node stand in it; others fill nodes of their own.
  std::vector<int> used(devices_.size(), 0);
  for (std::size_t p = 0; p < pipelines.size(); ++p)
    add_pipeline(pipelines[p], mixes[p], used, out);
  return out;
}

void HppCosts::add_pipeline(const hpp::PlannedPipeline& planned,
                            const std::vector<hpp::LayerMix>& mixes, std::vector<int>& used,
                            Scenario& out) const {
  PipelineEntry entry;
  const std::string name = "p" + std::to_string(out.pipelines.size());
  entry.name = name;
  entry.local_batch = planned.microbatches * planned.pipeline.micro_batch;
  entry.pipeline = scenario_.pipeline;
  entry.pipeline.schedule = {.name = "1f1b", .parameters = {}, .policy = {}, .order = {}};
  entry.pipeline.micro_batch_size = planned.pipeline.micro_batch;
  const hpp::PipelineStage* before = nullptr;
  for (std::size_t s = 0; s < planned.pipeline.stages.size(); ++s) {
    const hpp::PipelineStage& from = planned.pipeline.stages[s];
    const auto type = static_cast<std::size_t>(from.shape.type);
    const NodeGroup& group = scenario_.plan->cluster[type];
    DeviceSpec d;
    d.id = name + "s" + std::to_string(s);
    d.preset = group.gpu;
    d.node = group.gpu + "-" + std::to_string(used[type] / static_cast<int>(group.devices));
    d.socket = "0";
    d.tflops_half = group.tflops;
    d.memory_GiB = group.memory_GiB;
    d.memory_bandwidth_GBps = group.memory_bandwidth_GBps;
    const Device& device = devices_[type];
    if (device.link_bandwidth) {
      d.link_GBps = device.link_bandwidth->value / kGiga;
      d.link_latency_us = group.link_latency_us;
    }
    StageSpec stage;
    stage.device = d.id;
    stage.layers = from.layers;
    stage.tensor_parallel = from.shape.tensor;
    stage.data_parallel = from.shape.data;
    stage.recompute = recompute(from.shape, planned.pipeline.micro_batch, mixes[s]);
    if (before != nullptr) {
      const bool same = out.hardware.devices.back().node == d.node;
      LinkSpec link;
      link.from = out.hardware.devices.back().id;
      link.to = d.id;
      link.bandwidth_GBps = hop_rate(before->shape, from.shape, same) / kGiga;
      link.latency_us = hop_latency_us(before->shape, same);
      out.hardware.links.push_back(std::move(link));
    }
    used[type] += from.shape.devices();
    before = &from;
    out.hardware.devices.push_back(std::move(d));
    entry.pipeline.stages.push_back(std::move(stage));
  }
  out.pipelines.push_back(std::move(entry));
}

}  // namespace sluice
