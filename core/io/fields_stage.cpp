// `pipeline.stages[]`: what a rank runs, and what that takes.
#include <array>
#include <numeric>

#include "io/fields.hpp"

namespace sluice {
namespace {

constexpr std::array<Word, 2> kModes{{
    {"explicit", "the time of a forward is given"},
    {"analytical", "the time follows from work, bytes and the device"},
}};
constexpr std::array<Word, 3> kPlacements{{
    {"local", "in the device's own memory"},
    {"socket", "with the named node and socket"},
    {"device", "with the named device"},
}};

void describe_compute(Fields& f, ComputeSpec& c) {
  f.choice_of({.name = "mode",
               .doc = "Whether times are given or follow from the device",
               .required = true},
              c.mode, kModes);
  const bool all = f.documenting();
  if (all || c.mode == ComputeMode::Explicit) {
    describe_distribution(f,
                          {.name = "distribution",
                           .doc = "explicit: time of one forward",
                           .unit = "ms",
                           .required = !all},
                          c.distribution);
  }
  if (all || c.mode == ComputeMode::Analytical) {
    f.number({.name = "tflop",
              .doc = "analytical: work of one forward microbatch",
              .unit = "TFLOP",
              .required = !all},
             c.tflop, kNonNegative);
    f.number({.name = "memory_mb",
              .doc = "analytical: memory traffic of one forward microbatch",
              .unit = "MiB"},
             c.memory_mb, kNonNegative);
    f.object(
        {.name = "efficiency", .doc = "analytical: shares of the device's peaks that are reached"},
        [&](Fields& g) {
          constexpr Range kFactor{0, 100, true};
          g.number({.name = "compute", .doc = "Share of peak arithmetic"}, c.compute_efficiency,
                   kFactor);
          g.number({.name = "memory", .doc = "Share of peak memory bandwidth"}, c.memory_efficiency,
                   kFactor);
        });
    describe_distribution(
        f, {.name = "jitter", .doc = "analytical: added to each operation", .unit = "ms"},
        c.jitter);
  }
}

void describe_placement(Fields& f, MemoryPlacement& p) {
  f.choice_of({.name = "kind", .doc = "Where the memory lies"}, p.kind, kPlacements);
  const bool all = f.documenting();
  if (all || p.kind == PlacementKind::Socket) {
    f.text({.name = "node", .doc = "socket: the node", .required = !all}, p.node);
    f.text({.name = "socket", .doc = "socket: the socket", .required = !all}, p.socket);
  }
  if (all || p.kind == PlacementKind::Device) {
    f.text({.name = "device", .doc = "device: the device", .required = !all}, p.device);
  }
}

void describe_work(Fields& f, StageSpec& s) {
  constexpr Range kLayers{0, 1e5, false};
  constexpr std::string_view kDoc =
      "Layers of `model` on this rank: times and memory follow from them; a list has one entry for "
      "each stage that the rank holds";
  std::int64_t layers = s.layers.value_or(0);
  const std::array<Form, 2> forms{
      {{Shape::Scalar, [&](Fields& g) { g.integer({.name = "", .doc = kDoc}, layers, kLayers); }},
       {Shape::List, [&](Fields& g) {
          g.list_of<std::int64_t>(
              {.name = "", .doc = kDoc}, s.chunk_layers, [&](Fields& h, std::int64_t& n) {
                h.integer({.name = "", .doc = "Layers of one stage"}, n, kLayers);
              });
        }}}};
  f.present(s.layers.has_value());
  const bool by_layers =
      f.one_of({.name = "layers", .doc = kDoc}, s.chunk_layers.empty() ? 0 : 1, forms);
  if (by_layers && !f.documenting()) {
    s.layers = s.chunk_layers.empty()
                   ? layers
                   : std::accumulate(s.chunk_layers.begin(), s.chunk_layers.end(), std::int64_t{0});
  }
  const bool given = s.layers.has_value();
  f.present(!given);
  f.number({.name = "weights_mb",
            .doc = "Weights of the stage; not with `layers`",
            .unit = "MiB",
            .required = !given && !f.documenting()},
           s.weights_mb, kNonNegative);
  f.present(!given);
  f.object({.name = "compute", .doc = "How long its forward takes"},
           [&](Fields& g) { describe_compute(g, s.compute); });
  constexpr std::array<std::string_view, 2> kEither{"compute", "layers"};
  f.exclusive(kEither, true);
}

void describe_group(Fields& f, StageSpec& s) {
  constexpr Range kDevices{1, 1024, false};
  f.integer({.name = "tensor_parallel",
             .doc = "With layers: identical devices that `device` stands for and that divide every "
                    "layer; joined by interconnect.same_socket or same_node"},
            s.tensor_parallel, kDevices);
  f.boolean({.name = "sequence_parallel",
             .doc = "With layers: they divide norms and what lies between blocks too"},
            s.sequence_parallel);
  f.integer(
      {.name = "data_parallel",
       .doc = "With layers: so many such groups, which divide the samples of every microbatch"},
      s.data_parallel, kDevices);
}

}  // namespace

void describe_stage(Fields& f, StageSpec& s, bool partitioned) {
  f.text({.name = "device", .doc = "Id of the device that runs the stage", .required = true},
         s.device);
  if (!partitioned) describe_work(f, s);
  if (partitioned || s.layers || f.documenting()) describe_group(f, s);
  describe_stage_recompute(f, s.recompute);
  f.present(s.backward.has_value());
  f.object(
      {.name = "backward", .doc = "Time of its whole backward, in the place of backward_factor"},
      [&](Fields& g) {
        describe_distribution(g,
                              {.name = "distribution",
                               .doc = "Time of one whole backward",
                               .unit = "ms",
                               .required = true},
                              s.backward);
      });
  describe_distribution(f,
                        {.name = "overlapped",
                         .doc = "Time of a forward and a backward that overlap in one cell; "
                                "default their sum",
                         .unit = "ms"},
                        s.overlapped);
  describe_distribution(
      f,
      {.name = "update",
       .doc = "Weight update of the stage's device, in the place of `optimizer.update`",
       .unit = "ms"},
      s.update);
  f.present(s.extra != ExtraCosts{});
  f.object({.name = "extra", .doc = "What the stage pays beside its layers"}, [&](Fields& g) {
    g.number({.name = "forward",
              .doc = "Added to each forward, e.g. a share of a vocabulary that all ranks hold",
              .unit = "ms"},
             s.extra.forward_ms, kNonNegative);
    g.number({.name = "backward", .doc = "Added to each backward", .unit = "ms"},
             s.extra.backward_ms, kNonNegative);
    g.number({.name = "weight_gather",
              .doc = "Gathering sharded weights, each time the rank turns to this stage",
              .unit = "ms"},
             s.extra.weight_gather_ms, kNonNegative);
  });
  f.present(s.memory_placement.kind != PlacementKind::Local);
  f.object({.name = "memory_placement", .doc = "Where an analytical stage's memory lies"},
           [&](Fields& g) { describe_placement(g, s.memory_placement); });
}

}  // namespace sluice
