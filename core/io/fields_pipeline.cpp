// The sections that say what is simulated: pipeline, hardware and overrides.
#include <array>

#include "io/fields.hpp"

namespace sluice {
namespace {

constexpr std::array<Word, 3> kPrecisions{{
    {"fp32", "4 bytes a value"},
    {"fp16", "2 bytes a value"},
    {"bf16", "2 bytes a value"},
}};
constexpr std::array<Word, 2> kModes{{
    {"explicit", "the time of a forward is given"},
    {"analytical", "the time follows from work, bytes and the device"},
}};
constexpr std::array<Word, 3> kPlacements{{
    {"local", "in the device's own memory"},
    {"socket", "with the named node and socket"},
    {"device", "with the named device"},
}};

void describe_schedule(Fields& fields, ScheduleChoice& choice) {
  constexpr std::string_view kDoc = "Name of a schedule, or a policy as rules";
  const std::array<Form, 2> forms{{
      {Shape::Scalar, [&](Fields& f) { f.text({.name = "", .doc = kDoc}, choice.name); }},
      {Shape::Map,
       [&](Fields& f) {
         f.optional_text({.name = "name", .doc = "Name of a schedule"}, choice.name);
         PolicyText policy = choice.policy.value_or(PolicyText{});
         f.present(choice.policy.has_value());
         const bool found = f.object(
             {.name = "policy", .doc = "Rules that an idle rank asks in order"}, [&](Fields& g) {
               g.boolean(
                   {.name = "split",
                    .doc =
                        "Split the backward pass into input gradient (I) and weight gradient (W)"},
                   policy.split);
               g.list_of<std::string>(
                   {.name = "rules",
                    .doc = "Each a kind (F, B, I, W), or `condition: kind`",
                    .required = true},
                   policy.rules, [](Fields& h, std::string& rule) {
                     h.text({.name = "", .doc = "A kind, or a condition and a kind"}, rule);
                   });
             });
         if (found && !f.documenting()) choice.policy = policy;
         constexpr std::array<std::string_view, 2> kEither{"name", "policy"};
         f.exclusive(kEither, true);
       }},
  }};
  fields.one_of({.name = "schedule", .doc = kDoc, .required = true}, choice.policy ? 1 : 0, forms);
}

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

void describe_stage(Fields& f, StageSpec& s) {
  f.text({.name = "device", .doc = "Id of the device that runs the stage", .required = true},
         s.device);
  f.number({.name = "weights_mb", .doc = "Weights of the stage", .unit = "MiB", .required = true},
           s.weights_mb, kNonNegative);
  f.object({.name = "compute", .doc = "How long its forward takes", .required = true},
           [&](Fields& g) { describe_compute(g, s.compute); });
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
  f.present(s.memory_placement.kind != PlacementKind::Local);
  f.object({.name = "memory_placement", .doc = "Where an analytical stage's memory lies"},
           [&](Fields& g) { describe_placement(g, s.memory_placement); });
}

void describe_model(Fields& f, ModelShape& m) {
  constexpr Range kSize{1, 1e7, false};
  f.integer({.name = "hidden_dim", .doc = "Hidden size", .required = true}, m.hidden_dim, kSize);
  f.integer({.name = "seq_len", .doc = "Tokens in one sample", .required = true}, m.seq_len, kSize);
  f.integer({.name = "vocab_size", .doc = "Rows of the output layer"}, m.vocab_size, kSize);
}

void describe_device(Fields& f, DeviceSpec& d) {
  f.text({.name = "id", .doc = "Name of the device in this file", .required = true}, d.id);
  const bool all = f.documenting();
  const bool is_gpu = d.device_class == DeviceClass::Gpu;
  std::string gpu = is_gpu ? d.preset : "";
  std::string cpu = is_gpu ? "" : d.preset;
  f.optional_text({.name = "gpu", .doc = "Preset of a GPU"}, gpu);
  f.optional_text({.name = "cpu", .doc = "Preset of a CPU"}, cpu);
  if (!all) {
    d.device_class = cpu.empty() ? DeviceClass::Gpu : DeviceClass::Cpu;
    d.preset = cpu.empty() ? gpu : cpu;
  }
  constexpr std::array<std::string_view, 2> kEither{"gpu", "cpu"};
  f.exclusive(kEither, true);
  f.text({.name = "node", .doc = "Machine the device sits in", .required = true}, d.node);
  f.text({.name = "socket", .doc = "Socket within the node", .required = true}, d.socket);
  f.present(d.tflops_half.has_value() || d.tflops_fp32.has_value());
  f.object({.name = "tflops", .doc = "Dense peaks, in the place of the preset's"}, [&](Fields& g) {
    std::optional<double> fp16;
    g.optional_number({.name = "bf16", .doc = "Dense bf16 peak", .unit = "TFLOP/s"}, d.tflops_half,
                      kPositive);
    g.optional_number(
        {.name = "fp16", .doc = "Dense fp16 peak, when bf16 is not written", .unit = "TFLOP/s"},
        fp16, kPositive);
    if (!g.documenting() && !d.tflops_half) d.tflops_half = fp16;
    g.optional_number({.name = "fp32", .doc = "Peak for fp32", .unit = "TFLOP/s"}, d.tflops_fp32,
                      kPositive);
  });
  f.optional_number(
      {.name = "memory_GiB", .doc = "Memory, in the place of the preset's", .unit = "GiB"},
      d.memory_GiB, kPositive);
  f.optional_number({.name = "memory_bandwidth_GBps",
                     .doc = "Memory bandwidth, in the place of the preset's",
                     .unit = "GB/s"},
                    d.memory_bandwidth_GBps, kPositive);
  f.optional_number({.name = "launch_overhead_ms", .doc = "Added to each operation", .unit = "ms"},
                    d.launch_overhead_ms, kNonNegative);
}

void describe_link(Fields& f, LinkSpec& l) {
  const bool all = f.documenting();
  f.present(l.is_default);
  f.boolean({.name = "default", .doc = "This entry stands for every pair that no other names"},
            l.is_default);
  if (all || !l.is_default) {
    f.optional_text({.name = "from", .doc = "Device at one end"}, l.from);
    f.optional_text({.name = "to", .doc = "Device at the other end"}, l.to);
    f.present(l.oneway);
    f.boolean(
        {.name = "oneway", .doc = "Only from `from` to `to`; otherwise both directions alike"},
        l.oneway);
  }
  f.optional_number({.name = "bandwidth_GBps", .doc = "Bandwidth of one direction", .unit = "GB/s"},
                    l.bandwidth_GBps, kPositive);
  f.optional_number({.name = "latency_us", .doc = "Latency", .unit = "us"}, l.latency_us,
                    kNonNegative);
  f.present(!l.jitter.fixed() || l.jitter.a != 0);
  describe_distribution(f, {.name = "jitter", .doc = "Added to each transfer", .unit = "ms"},
                        l.jitter);
}

}  // namespace

void describe_pipeline(Fields& f, PipelineSection& p) {
  describe_schedule(f, p.schedule);
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
  f.list_of<StageSpec>(
      {.name = "stages", .doc = "One entry a stage, in pipeline order", .required = true}, p.stages,
      describe_stage);
}

void describe_hardware(Fields& f, HardwareSection& h) {
  f.list_of<DeviceSpec>({.name = "devices", .doc = "All devices; ids are unique", .required = true},
                        h.devices, describe_device);
  f.object({.name = "interconnect", .doc = "Presets of the links, by how near two devices are"},
           [&](Fields& g) {
             g.optional_text(
                 {.name = "same_socket", .doc = "Within a socket; same_node when not written"},
                 h.same_socket);
             g.optional_text({.name = "same_node", .doc = "Between sockets of a node"},
                             h.same_node);
             g.optional_text({.name = "cross_node", .doc = "Between nodes"}, h.cross_node);
           });
  f.present(!h.links.empty());
  f.list_of<LinkSpec>({.name = "links", .doc = "Single links, over the presets"}, h.links,
                      describe_link);
}

void describe_overrides(Fields& f, Scenario& s) {
  f.present(!s.device_overrides.empty());
  f.list_of<DeviceOverride>(
      {.name = "devices", .doc = "Figures of single devices"}, s.device_overrides,
      [](Fields& g, DeviceOverride& d) {
        g.text({.name = "id", .doc = "The device", .required = true}, d.id);
        g.optional_number({.name = "memory_mb", .doc = "Memory", .unit = "MiB"}, d.memory_mb,
                          kPositive);
        g.optional_number({.name = "flops_tflops", .doc = "Peak", .unit = "TFLOP/s"},
                          d.flops_tflops, kPositive);
        g.optional_number(
            {.name = "memory_bandwidth_gbps",
             .doc = "Memory bandwidth: GB/s, under hops Gbit as that simulator reads it"},
            d.memory_bandwidth_gbps, kPositive);
        g.optional_number(
            {.name = "launch_overhead_ms", .doc = "Added to each operation", .unit = "ms"},
            d.launch_overhead_ms, kNonNegative);
      });
  f.present(!s.link_overrides.empty());
  f.list_of<LinkOverride>(
      {.name = "links", .doc = "Single directed links"}, s.link_overrides,
      [](Fields& g, LinkOverride& l) {
        g.text({.name = "src", .doc = "Sending device", .required = true}, l.src);
        g.text({.name = "dst", .doc = "Receiving device", .required = true}, l.dst);
        g.number({.name = "bandwidth_gbps",
                  .doc = "Bandwidth: 1e9 bit/s, under hops MiB * 8 / ms",
                  .required = true},
                 l.bandwidth_gbps, kPositive);
        g.number({.name = "latency_us", .doc = "Latency", .unit = "us", .required = true},
                 l.latency_us, kNonNegative);
        describe_distribution(g, {.name = "jitter", .doc = "Added to each transfer", .unit = "ms"},
                              l.jitter);
      });
}

}  // namespace sluice
