// `plan`: a cluster and a batch for which pipelines are to be found.
#include <array>

#include "io/fields.hpp"

namespace sluice {
namespace {

constexpr std::array<Word, 5> kSyncs{{
    {"none", "nothing is summed"},
    {"block", "equal parts of what the same devices share, in one buffer"},
    {"tensor", "each tensor by itself"},
    {"device", "all devices that share anything sum all that they hold together"},
    {"aligned", "devices of the same stage number, padded to the largest of them"},
}};

constexpr Range kCount{1, 1e6, false};

void describe_nodes(Fields& f, NodeGroup& g) {
  f.text({.name = "gpu", .doc = "Preset of its devices", .required = true}, g.gpu);
  f.integer({.name = "nodes", .doc = "Equal nodes"}, g.nodes, Range{1, 4096, false});
  f.integer({.name = "devices", .doc = "In one node"}, g.devices, Range{1, 64, false});
  f.optional_number({.name = "tflops",
                     .doc = "Dense half-precision peak, default the preset's",
                     .unit = "TFLOP/s"},
                    g.tflops, kPositive);
  f.optional_number({.name = "memory_GiB", .doc = "Default the preset's", .unit = "GiB"},
                    g.memory_GiB, kPositive);
  f.optional_number(
      {.name = "memory_bandwidth_GBps", .doc = "Default the preset's", .unit = "GB/s"},
      g.memory_bandwidth_GBps, kPositive);
  f.optional_number({.name = "link_GBps",
                     .doc = "Between devices of a node, one direction, default the preset's",
                     .unit = "GB/s"},
                    g.link_GBps, kPositive);
  f.number({.name = "link_latency_us", .doc = "Its latency", .unit = "us"}, g.link_latency_us,
           kNonNegative);
}

void describe_sizes(Fields& f, std::string_view name, std::string_view doc,
                    std::vector<std::int64_t>& sizes) {
  f.list_of<std::int64_t>({.name = name, .doc = doc}, sizes, [&](Fields& g, std::int64_t& n) {
    g.integer({.name = "", .doc = doc}, n, kCount);
  });
}

}  // namespace

bool describe_gradient_sync(Fields& f, GradientSync& sync) {
  return f.choice_of({.name = "gradient_sync",
                      .doc = "Who sums whose gradients, where pipelines train one model together"},
                     sync, kSyncs);
}

void describe_plan(Fields& f, std::optional<PlanSection>& plan) {
  PlanSection p = plan.value_or(PlanSection{});
  f.present(plan.has_value());
  const bool found = f.object(
      {.name = "plan", .doc = "A cluster for which `sluice plan` finds pipelines"}, [&](Fields& g) {
        g.list_of<NodeGroup>({.name = "cluster", .doc = "Its nodes", .required = true}, p.cluster,
                             describe_nodes);
        g.integer({.name = "global_batch",
                   .doc = "Samples of a step, over all pipelines",
                   .required = true},
                  p.global_batch, kCount);
        describe_sizes(g, "micro_batch_sizes", "Samples of a microbatch that may be chosen",
                       p.micro_batch_sizes);
        describe_sizes(g, "tensor_parallel", "Devices that may divide a layer", p.tensor_parallel);
        g.number({.name = "cross_node_GBps",
                  .doc = "Of one device, between nodes, one direction",
                  .unit = "GB/s"},
                 p.cross_node_GBps, kPositive);
        g.number({.name = "cross_node_latency_us", .doc = "Its latency", .unit = "us"},
                 p.cross_node_latency_us, kNonNegative);
        describe_gradient_sync(g, p.gradient_sync);
        g.boolean({.name = "recompute", .doc = "Operators may be made again where memory asks"},
                  p.recompute);
        g.integer({.name = "most_pipelines", .doc = "At most so many pipelines"}, p.most_pipelines,
                  Range{1, 64, false});
        g.number({.name = "tolerance",
                  .doc = "1: the best plan; 1.05: one at most 5 % slower, found sooner"},
                 p.tolerance, Range{1, 10, false});
      });
  if (found) plan = p;
}

}  // namespace sluice
