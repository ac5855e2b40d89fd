// The sections that say what to simulate: simulation, optimizer, output, and
// distributions.
#include <array>

#include "io/fields.hpp"

namespace sluice {
namespace {

constexpr std::array<Word, 2> kPhysics{{
    {"sluice", "units as written, device peaks used once, links shared fairly"},
    {"hops", "reproduces the numbers of the HOPS simulator, quirks included"},
}};
constexpr std::array<Word, 3> kTransfers{{
    {"shared", "latency and bandwidth; transfers on one link share it"},
    {"bandwidth", "latency and bandwidth, without contention"},
    {"latency", "the link's latency alone"},
}};
constexpr std::array<Word, 5> kCommunications{{
    {"async", "transfers hold nothing up"},
    {"in_order", "a rank sends and receives one thing at a time, in the order of its operations"},
    {"blocking", "a rank computes nothing while it sends"},
    {"rendezvous", "nor until the receiver is ready for just this transfer"},
    {"calls",
     "blocking calls that pair a send and a receive, with the host time of the calibration"},
}};
constexpr std::array<Word, 2> kCostModels{{
    {"roofline",
     "the slower of arithmetic and memory; a split backward costs what a whole one does"},
    {"hops_roofline", "as HOPS: launch, floor and head are paid by each half of a split backward"},
}};
constexpr std::array<Word, 2> kPolicies{{
    {"static_orders", "schedule names mean fixed orders"},
    {"hops", "schedule names mean the work-conserving policies of HOPS"},
}};
constexpr std::array<Word, 3> kLinkShares{{
    {"fair", "transfers in progress share the bandwidth equally; none of it is lost"},
    {"fifo", "one transfer at a time, in the order they were sent"},
    {"per_pair_at_start",
     "as HOPS: a transfer's rate is fixed by how many are active when it starts"},
}};
constexpr std::array<Word, 2> kAllReduceOver{{
    {"replicas", "data-parallel replicas; with one replica nothing is reduced"},
    {"stages", "as HOPS: all stage devices, although they hold different parameters"},
}};
constexpr std::array<Word, 2> kThroughputUntil{{
    {"work_end", "to the end of all work, weight gradients and updates included"},
    {"last_backward", "as HOPS: to the last backward on stage 0"},
}};
constexpr std::array<Word, 1> kMemoryModels{{
    {"hops", "weights times 1.5 (half precision) or 1, and one activation a microbatch in flight"},
}};
constexpr std::array<Word, 3> kCapacities{{
    {"warn", "say so and simulate"},
    {"enforce", "no feasible plan (exit 3)"},
    {"error", "the scenario is wrong (exit 1)"},
}};
constexpr std::array<Word, 2> kFailureEffects{{
    {"interrupt", "an outage stops what runs; it is done again afterwards"},
    {"delay_starts", "as HOPS: what runs goes on, only starts wait"},
}};
constexpr std::array<Word, 4> kDistributions{{
    {"constant", "always `value`"},
    {"normal", "max(0, N(mean, std))"},
    {"heavy_tailed", "a Pareto distribution with minimum `base` and tail index `alpha`"},
    {"poisson", "a Poisson number of milliseconds with mean `lam`"},
}};
constexpr std::array<Word, 2> kAlgorithms{{
    {"naive", "the whole gradient both ways over each neighbouring pair, all at once"},
    {"ring", "2 (n - 1) rounds of a n-th each around the ring"},
}};

void distribution_members(Fields& f, Distribution& d) {
  f.choice_of({.name = "type", .doc = "Which distribution", .required = true}, d.kind,
              kDistributions);
  const bool all = f.documenting();
  constexpr Range kAny{-1e12, 1e12, false};
  constexpr Range kMilliseconds{0, 1e12, false};
  if (all || d.kind == DistributionKind::Constant) {
    f.number({.name = "value", .doc = "constant: the value", .unit = "ms", .required = !all}, d.a,
             kAny);
  }
  if (all || d.kind == DistributionKind::Normal) {
    f.number({.name = "mean",
              .doc = "normal: mean before clipping at 0",
              .unit = "ms",
              .required = !all},
             d.a, kAny);
    f.number({.name = "std", .doc = "normal: standard deviation", .unit = "ms", .required = !all},
             d.b, kMilliseconds);
  }
  if (all || d.kind == DistributionKind::HeavyTailed) {
    f.number({.name = "base", .doc = "heavy_tailed: the minimum", .unit = "ms", .required = !all},
             d.a, kMilliseconds);
    // Below this the 53-bit uniform reaches samples beyond any run.
    constexpr Range kTail{0.2, 1e6, false};
    f.number({.name = "alpha",
              .doc = "heavy_tailed: tail index; the mean is finite above 1",
              .required = !all},
             d.b, kTail);
  }
  if (all || d.kind == DistributionKind::Poisson) {
    constexpr Range kLam{0, 1e6, false};
    f.number({.name = "lam", .doc = "poisson: the mean", .unit = "ms", .required = !all}, d.a,
             kLam);
  }
}

void describe_options(Fields& f, SimulationSection& s) {
  Options& o = s.options;
  f.choice_of({.name = "cost_model", .doc = "How analytical stages turn into times"}, o.cost_model,
              kCostModels);
  f.choice_of({.name = "policies", .doc = "What schedule names mean"}, o.policies, kPolicies);
  f.choice_of({.name = "link_share", .doc = "How transfers share a link"}, o.link_share,
              kLinkShares);
  f.boolean({.name = "locality_penalty",
             .doc = "Presets' locality factors scale compute, memory and transfers"},
            o.locality_penalty);
  f.choice_of({.name = "allreduce_over", .doc = "Among whom gradients are reduced"},
              o.allreduce_over, kAllReduceOver);
  f.choice_of({.name = "throughput_until", .doc = "Where the time that throughput divides by ends"},
              o.throughput_until, kThroughputUntil);
  f.choice_of({.name = "memory_model", .doc = "What memory holds"}, o.memory_model, kMemoryModels);
  f.choice_of({.name = "capacity", .doc = "When a device's memory does not hold its stages"},
              o.capacity, kCapacities);
  f.choice_of({.name = "failure_effect", .doc = "What an outage does to running work"},
              o.failure_effect, kFailureEffects);
}

}  // namespace

bool describe_distribution(Fields& fields, const Key& key, Distribution& d) {
  const std::array<Form, 2> forms{{
      {Shape::Scalar,
       [&](Fields& f) {
         d.kind = DistributionKind::Constant;
         constexpr Range kAny{-1e12, 1e12, false};
         f.number({.name = "", .doc = "A constant", .unit = "ms"}, d.a, kAny);
       }},
      {Shape::Map, [&](Fields& f) { distribution_members(f, d); }},
  }};
  return fields.one_of(key, d.kind == DistributionKind::Constant ? 0 : 1, forms);
}

bool describe_distribution(Fields& fields, const Key& key,
                           std::optional<Distribution>& distribution) {
  Distribution written = distribution.value_or(Distribution{});
  fields.present(distribution.has_value());
  if (!describe_distribution(fields, key, written)) return false;
  distribution = written;
  return true;
}

void describe_simulation(Fields& f, SimulationSection& s, bool planned, bool several) {
  f.choice_of({.name = "physics", .doc = "Bundle of physics options"}, s.physics, kPhysics);

  constexpr Range kBatches{1, 1e6, false};
  // What can be simulated is far less; the message for that names the limit.
  constexpr Range kMicrobatches{1, 9007199254740992.0, false};
  f.integer({.name = "batches", .doc = "Training steps to simulate"}, s.batches, kBatches);
  f.present(!several && (!planned || s.microbatches != 1));
  f.integer({.name = "microbatches",
             .doc = "Microbatches in one batch",
             .required = !planned && !several},
            s.microbatches, kMicrobatches);
  auto seed = static_cast<std::int64_t>(s.seed);
  constexpr Range kSeeds{0, 9007199254740992.0, false};
  f.integer({.name = "seed", .doc = "Seed of all random draws; the same seed gives the same bytes"},
            seed, kSeeds);
  s.seed = static_cast<std::uint64_t>(seed);
  f.choice_of({.name = "transfers", .doc = "What a transfer takes"}, s.transfers, kTransfers);
  f.choice_of({.name = "communication", .doc = "What a transfer holds up"}, s.communication,
              kCommunications);
  f.boolean({.name = "step_barrier",
             .doc = "All ranks finish a batch before any begins the next; off: rank by rank"},
            s.step_barrier);
  f.object({.name = "options", .doc = "Single physics options, over the bundle"},
           [&](Fields& g) { describe_options(g, s); });
}

void describe_optimizer(Fields& f, OptimizerSection& o) {
  f.boolean(
      {.name = "enabled", .doc = "Reduce gradients and update weights after each accumulation"},
      o.enabled);
  f.number({.name = "gradient_mb",
            .doc = "Gradient of one stage, as fp32; halved for fp16 and bf16",
            .unit = "MiB"},
           o.gradient_mb, kNonNegative);
  constexpr Range kSteps{1, 1e6, false};
  f.integer({.name = "accumulation_steps", .doc = "Batches from one update to the next"},
            o.accumulation_steps, kSteps);
  f.object({.name = "allreduce", .doc = "How gradients are reduced"}, [&](Fields& g) {
    g.choice_of({.name = "algorithm", .doc = "The collective's algorithm"}, o.algorithm,
                kAlgorithms);
  });
  f.present(o.gradient_sync != GradientSync::Block);
  describe_gradient_sync(f, o.gradient_sync);
  describe_distribution(
      f,
      {.name = "update",
       .doc = "Weight update of one device; follows from `layers` where these are written",
       .unit = "ms"},
      o.update);
  describe_distribution(
      f,
      {.name = "iteration_barrier", .doc = "Pause before every batch but the first", .unit = "ms"},
      o.iteration_barrier);
}

void describe_output(Fields& f, OutputSection& o) {
  f.optional_text({.name = "timeline", .doc = "Where the command writes the timeline, as SVG"},
                  o.timeline);
  f.optional_text({.name = "dashboard", .doc = "Where the command writes the dashboard, as SVG"},
                  o.dashboard);
  f.optional_text({.name = "summary_json", .doc = "Where the command writes the summary"},
                  o.summary_json);
  f.optional_text({.name = "trace_csv", .doc = "Where the command writes the trace"}, o.trace_csv);
}

void describe(Fields& f, Scenario& s) {
  describe_plan(f, s.plan);
  // With a plan to be found, stages, devices and microbatches are what is asked for. A schema says
  // what a run needs.
  const bool planned = s.plan.has_value() && !f.documenting();
  describe_pipelines(f, s.pipelines);
  const bool several = !s.pipelines.empty() && !f.documenting();
  f.object({.name = "simulation",
            .doc = "How much to simulate, and under which physics",
            .required = !planned && !several},
           [&](Fields& g) { describe_simulation(g, s.simulation, planned, several); });
  f.present(!several);
  f.object({.name = "pipeline", .doc = "The stages and the schedule", .required = !several},
           [&](Fields& g) { describe_pipeline(g, s.pipeline, planned); });
  constexpr std::array<std::string_view, 2> kEither{"pipeline", "pipelines"};
  f.exclusive(kEither, false);
  f.object({.name = "hardware", .doc = "Devices and what joins them", .required = !planned},
           [&](Fields& g) { describe_hardware(g, s.hardware, planned); });
  f.object({.name = "optimizer",
            .doc = "Gradient reduction, weight update and the pause between batches"},
           [&](Fields& g) { describe_optimizer(g, s.optimizer); });
  f.object({.name = "failure", .doc = "Outages, and what is done about them"},
           [&](Fields& g) { describe_failure(g, s.failure); });
  describe_campaign(f, s.campaign);
  describe_stragglers(f, s.stragglers);
  f.object({.name = "output", .doc = "Files the command writes; the page ignores them"},
           [&](Fields& g) { describe_output(g, s.output); });
  f.object({.name = "overrides", .doc = "Figures that replace those of presets"},
           [&](Fields& g) { describe_overrides(g, s); });
  f.present(!s.ui.empty());
  f.list_of<std::string>({.name = "ui", .doc = "Paths that the page offers as quick controls"},
                         s.ui, [](Fields& g, std::string& path) {
                           g.text({.name = "", .doc = "A path such as simulation.microbatches"},
                                  path);
                         });
  f.present(!s.expect.empty());
  f.list_of<Expectation>(
      {.name = "expect", .doc = "What the summary should say; `sluice check --run` verifies it"},
      s.expect, describe_expectation);
}

}  // namespace sluice
