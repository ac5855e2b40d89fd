// `pipeline`: what is trained, in which order, and how it is spread.
#include <array>

#include "io/fields.hpp"

namespace sluice {
namespace {

constexpr std::array<Word, 3> kPrecisions{{
    {"fp32", "4 bytes a value"},
    {"fp16", "2 bytes a value"},
    {"bf16", "2 bytes a value"},
}};
constexpr std::array<Word, 2> kPartitions{{
    {"uniform", "equally many layers, the remainder on the first stages"},
    {"balanced", "so that the slowest stage is as fast as it can be"},
}};
void describe_partition(Fields& f, PipelineSection& p) {
  constexpr std::string_view kDoc =
      "Spreads the model's layers over stages that name none: uniform, balanced, or a list";
  Partition partition = p.partition.value_or(Partition{});
  const std::array<Form, 2> forms{
      {{Shape::Scalar,
        [&](Fields& g) {
          auto index = static_cast<std::size_t>(partition.kind);
          g.choice({.name = "", .doc = kDoc}, index, kPartitions);
          partition.kind = static_cast<PartitionKind>(index);
        }},
       {Shape::List, [&](Fields& g) {
          g.list_of<std::int64_t>(
              {.name = "", .doc = kDoc}, partition.layers, [](Fields& h, std::int64_t& n) {
                h.integer({.name = "", .doc = "Layers of one stage"}, n, Range{0, 1e5, false});
              });
          partition.kind = PartitionKind::Listed;
        }}}};
  f.present(p.partition.has_value());
  const bool listed = partition.kind == PartitionKind::Listed;
  if (f.one_of({.name = "partition", .doc = kDoc}, listed ? 1 : 0, forms) && !f.documenting())
    p.partition = partition;
}

void describe_layer(Fields& f, LayerCost& layer) {
  constexpr Range kCount{1, 1e5, false};
  const auto ms = [&](std::string_view name, std::string_view doc, double& value) {
    f.number({.name = name, .doc = doc, .unit = "ms", .required = true}, value, kNonNegative);
  };
  f.integer({.name = "count", .doc = "So many layers of this kind, one after the other"},
            layer.count, kCount);
  ms("forward", "Forward of one microbatch", layer.forward_ms);
  ms("input_grad", "Input gradient of one microbatch; with the weight gradient its whole backward",
     layer.input_grad_ms);
  ms("weight_grad", "Weight gradient of one microbatch", layer.weight_grad_ms);
  f.number({.name = "weights_mb", .doc = "Weights, as a stage's", .unit = "MiB"}, layer.weights_mb,
           kNonNegative);
  f.number({.name = "activation_mb",
            .doc = "What one microbatch in flight holds, as fp32; half of it until the input "
                   "gradient, half until the weight gradient",
            .unit = "MiB"},
           layer.activation_mb, kNonNegative);
}

}  // namespace

void describe_pipeline(Fields& f, PipelineSection& p, bool planned) {
  describe_schedule(f, p.schedule, planned);
  f.choice_of({.name = "precision", .doc = "Numbers in activations, gradients and arithmetic"},
              p.precision, kPrecisions);
  constexpr Range kSamples{1, 1e6, false};
  f.integer({.name = "micro_batch_size",
             .doc = "Samples in one microbatch; scales samples/s and tokens/s"},
            p.micro_batch_size, kSamples);
  f.optional_number({.name = "activation_mb",
                     .doc = "Payload of one stage boundary, as fp32; halved for fp16 and bf16",
                     .unit = "MiB"},
                    p.activation_mb, kNonNegative);
  constexpr Range kFactor{0, 1e6, true};
  f.number({.name = "backward_factor", .doc = "Backward time over forward time"}, p.backward_factor,
           kFactor);
  f.object({.name = "backward_split", .doc = "How a split backward divides"}, [&](Fields& g) {
    bool enabled = false;
    g.boolean(
        {.name = "enabled", .doc = "Has no effect: the schedule decides whether backward is split"},
        enabled);
    g.number({.name = "activation_grad_fraction",
              .doc = "Share of the backward that is the input gradient"},
             p.activation_grad_fraction, kShare);
  });
  ModelShape model = p.model.value_or(ModelShape{});
  f.present(p.model.has_value());
  if (f.object(
          {.name = "model", .doc = "Shape of the model: sizes activations, adds the output layer"},
          [&](Fields& g) { describe_model(g, model); })) {
    p.model = model;
  }
  f.present(!p.layer_costs.empty());
  f.list_of<LayerCost>({.name = "layer_costs",
                        .doc = "What each layer costs, in the place of `model`: embedding first, "
                               "output layer last"},
                       p.layer_costs, describe_layer);
  describe_recompute(f, p.recompute);
  constexpr Range kReplicas{1, 1e6, false};
  f.integer(
      {.name = "data_parallel",
       .doc = "With `layers`: replicas of the whole pipeline. One is simulated; gradients are "
              "summed over all before an update"},
      p.data_parallel, kReplicas);
  f.boolean({.name = "distributed_optimizer",
             .doc = "The replicas divide the optimizer's state and its work"},
            p.distributed_optimizer);
  f.integer({.name = "expert_parallel",
             .doc = "With `layers`: replicas that divide the experts of each layer among them; "
                    "divides data_parallel"},
            p.expert_parallel, kReplicas);
  f.text({.name = "calibration",
          .doc = "With `layers`: what framework, host and network cost, by the name of a preset"},
         p.calibration);
  describe_partition(f, p);
  const bool partitioned = p.partition.has_value() && !f.documenting();
  f.present(!planned || !p.stages.empty());
  f.list_of<StageSpec>(
      {.name = "stages", .doc = "One entry a stage, in pipeline order", .required = !planned},
      p.stages, [&](Fields& g, StageSpec& s) { describe_stage(g, s, partitioned); });
}

void describe_pipelines(Fields& f, std::vector<PipelineEntry>& pipelines) {
  f.present(!pipelines.empty());
  f.list_of<PipelineEntry>(
      {.name = "pipelines",
       .doc = "In the place of `pipeline`: independent ones that train one model, each with its "
              "share of the batch; gradients are weighted by the shares and summed"},
      pipelines, [](Fields& g, PipelineEntry& p) {
        g.text({.name = "name", .doc = "Name of the pipeline", .required = true}, p.name);
        g.integer({.name = "local_batch",
                   .doc = "Samples of a step; a multiple of micro_batch_size",
                   .required = true},
                  p.local_batch, Range{1, 1e9, false});
        describe_pipeline(g, p.pipeline, false);
      });
}

}  // namespace sluice
