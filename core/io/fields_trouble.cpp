// The sections that say what goes wrong: failure and stragglers.
#include <array>

#include "io/fields.hpp"

namespace sluice {
namespace {

constexpr Range kCount{0, 1e6, false};

constexpr std::array<Word, 3> kRecoveries{{
    {"operation", "what the device computed is done again after its repair; nothing else is lost"},
    {"step", "all devices begin the step anew"},
    {"checkpoint", "all devices go back to the last checkpoint"},
}};

// One id, the word all, or a list of ids.
void describe_ids(Fields& f, const Key& key, std::vector<std::string>& ids) {
  std::string one = ids.size() == 1 ? ids.front() : "";
  const std::array<Form, 2> forms{
      {{Shape::Scalar,
        [&](Fields& g) {
          g.text({.name = "", .doc = key.doc}, one);
          ids.assign(1, one);
        }},
       {Shape::List, [&](Fields& g) {
          g.list_of<std::string>({.name = "", .doc = key.doc}, ids, [](Fields& h, std::string& id) {
            h.text({.name = "", .doc = "An id"}, id);
          });
        }}}};
  f.present(!ids.empty());
  f.one_of(key, ids.size() > 1 ? 1 : 0, forms);
  if (f.documenting()) ids.clear();
}

void describe_cables(Fields& f, Parts& parts) {
  constexpr std::string_view kDoc = "all, or cables by their two ends; both directions at once";
  std::string word = parts.all_links ? "all" : "";
  const std::array<Form, 2> forms{
      {{Shape::Scalar,
        [&](Fields& g) {
          constexpr std::array<Word, 1> kAll{{{"all", "every link that the run uses"}}};
          std::size_t index = 0;
          g.choice({.name = "", .doc = kDoc}, index, kAll);
          parts.all_links = true;
        }},
       {Shape::List, [&](Fields& g) {
          g.list_of<LinkEnds>(
              {.name = "", .doc = kDoc}, parts.links, [](Fields& h, LinkEnds& ends) {
                h.text({.name = "from", .doc = "Device at one end", .required = true}, ends.from);
                h.text({.name = "to", .doc = "Device at the other end", .required = true}, ends.to);
              });
        }}}};
  f.present(parts.all_links || !parts.links.empty());
  f.one_of({.name = "links", .doc = kDoc}, parts.links.empty() ? 0 : 1, forms);
  if (f.documenting()) parts = {};
}

void describe_source(Fields& f, FailureSource& s) {
  constexpr std::array<std::string_view, 4> kWhat{"devices", "nodes", "switches", "links"};
  constexpr std::array<std::string_view, 2> kWhen{"mtbf_hours", "at_ms"};
  constexpr Range kShape{0.1, 20, false};
  f.exclusive(kWhat, true);
  f.exclusive(kWhen, true);
  describe_ids(f, {.name = "devices", .doc = "all, or device ids; each fails by itself"},
               s.parts.devices);
  describe_ids(f, {.name = "nodes", .doc = "all, or nodes: their devices and links fail together"},
               s.parts.nodes);
  describe_ids(f,
               {.name = "switches", .doc = "all, or switches: the links between their nodes fail"},
               s.parts.switches);
  describe_cables(f, s.parts);
  f.optional_number({.name = "mtbf_hours",
                     .doc = "Mean time of one part from its repair to its next failure",
                     .unit = "h"},
                    s.mtbf_hours, kPositive);
  f.present(s.shape != 1);
  f.number({.name = "shape",
            .doc = "Of a Weibull life: 1 is exponential, below 1 young parts fail more often"},
           s.shape, kShape);
  f.present(!s.at_ms.empty());
  f.list_of<double>({.name = "at_ms", .doc = "Times of failures", .unit = "ms"}, s.at_ms,
                    [](Fields& g, double& at) {
                      g.number({.name = "", .doc = "A time", .unit = "ms"}, at, kNonNegative);
                    });
  f.number({.name = "repair_s", .doc = "Length of an outage", .unit = "s", .required = true},
           s.repair_s, kPositive);
}

void describe_checkpoint(Fields& f, CheckpointSection& c) {
  f.present(c.every_steps != 0);
  f.integer({.name = "every_steps",
             .doc = "After so many steps; with `interval_s`, whichever comes first"},
            c.every_steps, {1, 1e9, false});
  f.optional_number({.name = "interval_s",
                     .doc = "At the end of the first step so long after the last checkpoint",
                     .unit = "s"},
                    c.interval_s, kPositive);
  f.number({.name = "cost_s",
            .doc = "Time for which all devices stop to write it",
            .unit = "s",
            .required = true},
           c.cost_s, kNonNegative);
}

}  // namespace

void describe_failure(Fields& f, FailureSection& s) {
  f.boolean({.name = "enabled", .doc = "Devices and links fail and recover"}, s.enabled);
  f.present(!s.sources.empty());
  f.list_of<FailureSource>({.name = "sources", .doc = "What fails, and when"}, s.sources,
                           describe_source);
  const bool checks = s.enabled && s.sources.empty() && !f.documenting();
  f.present(checks || s.check_interval_ms != 0);
  f.number({.name = "check_interval_ms",
            .doc = "Without sources: time between two draws",
            .unit = "ms",
            .required = checks},
           s.check_interval_ms, kPositive);
  f.present(checks || s.device_failure_probability != 0);
  f.number({.name = "device_failure_probability",
            .doc = "Chance a device fails at one check",
            .required = checks},
           s.device_failure_probability, kShare);
  f.present(checks || s.link_failure_probability != 0);
  f.number({.name = "link_failure_probability",
            .doc = "Chance a link fails at one check",
            .required = checks},
           s.link_failure_probability, kShare);
  f.present(checks || s.recovery_time_ms != 0);
  f.number({.name = "recovery_time_ms",
            .doc = "Length of an outage found by a check",
            .unit = "ms",
            .required = checks},
           s.recovery_time_ms, kPositive);
  f.present(s.recovery != Recovery::Operation);
  f.choice_of({.name = "recovery", .doc = "What the failure of a computing device costs"},
              s.recovery, kRecoveries);
  f.present(s.restart_s != 0);
  f.number({.name = "restart_s",
            .doc = "From the repair, or with a spare from the failure, until work goes on",
            .unit = "s"},
           s.restart_s, kNonNegative);
  f.present(s.spares != 0);
  f.integer({.name = "spares", .doc = "Devices that stand by; a repaired one joins them"}, s.spares,
            kCount);
  f.present(s.checkpoint != CheckpointSection{});
  f.object({.name = "checkpoint", .doc = "When the state is saved, and what that costs"},
           [&](Fields& g) { describe_checkpoint(g, s.checkpoint); });
}

void describe_campaign(Fields& f, std::optional<CampaignSection>& campaign) {
  // A century, and what is counted without loss.
  constexpr Range kHours{0, 876600, true};
  constexpr Range kSteps{1, 1e15, false};
  CampaignSection c = campaign.value_or(CampaignSection{});
  f.present(campaign.has_value());
  if (f.object({.name = "campaign", .doc = "Many steps with their failures: months and years"},
               [&](Fields& g) {
                 g.optional_number(
                     {.name = "hours", .doc = "Time to simulate; a century at most", .unit = "h"},
                     c.hours, kHours);
                 g.present(c.steps != 0);
                 g.integer({.name = "steps", .doc = "Steps to make, whatever time that takes"},
                           c.steps, kSteps);
               }))
    campaign = c;
}

void describe_stragglers(Fields& f, std::vector<Straggler>& stragglers) {
  constexpr Range kFactor{0.01, 1e4, false};
  f.present(!stragglers.empty());
  f.list_of<Straggler>(
      {.name = "stragglers", .doc = "Parts that need longer than their figures say"}, stragglers,
      [&](Fields& g, Straggler& s) {
        constexpr std::array<std::string_view, 3> kWhat{"devices", "nodes", "links"};
        g.exclusive(kWhat, true);
        describe_ids(g, {.name = "devices", .doc = "all, or device ids"}, s.parts.devices);
        describe_ids(g, {.name = "nodes", .doc = "all, or nodes: their devices"}, s.parts.nodes);
        describe_cables(g, s.parts);
        const std::array<Form, 2> forms{
            {{Shape::Scalar,
              [&](Fields& h) {
                h.number({.name = "", .doc = "A factor"}, s.factor_low, kFactor);
                s.factor_high = s.factor_low;
              }},
             {Shape::Map, [&](Fields& h) {
                h.number({.name = "low", .doc = "Least factor", .required = true}, s.factor_low,
                         kFactor);
                h.number({.name = "high", .doc = "Greatest factor", .required = true},
                         s.factor_high, kFactor);
              }}}};
        g.present(s.factor_low != 1 || s.factor_high != 1);
        g.one_of(
            {.name = "factor", .doc = "On every time; of {low, high} each part draws its own once"},
            s.factor_low == s.factor_high ? 0 : 1, forms);
        Drift drift = s.drift.value_or(Drift{});
        g.present(s.drift.has_value());
        if (g.object({.name = "drift", .doc = "Slower and slower until a plateau, as from heat"},
                     [&](Fields& h) {
                       h.number({.name = "to", .doc = "Factor in the end", .required = true},
                                drift.to, kFactor);
                       h.number({.name = "over_ms",
                                 .doc = "Time it takes from the start of the run",
                                 .unit = "ms",
                                 .required = true},
                                drift.over_ms, kPositive);
                     }))
          s.drift = drift;
        Interference interference = s.interference.value_or(Interference{});
        g.present(s.interference.has_value());
        if (g.object(
                {.name = "interference", .doc = "Slow for a part of each period"}, [&](Fields& h) {
                  h.number(
                      {.name = "every_ms", .doc = "The period", .unit = "ms", .required = true},
                      interference.every_ms, kPositive);
                  h.number({.name = "for_ms",
                            .doc = "How long of each period",
                            .unit = "ms",
                            .required = true},
                           interference.for_ms, kPositive);
                  h.number({.name = "factor",
                            .doc = "On the time that work takes then",
                            .required = true},
                           interference.factor, kFactor);
                  h.present(interference.offset_ms != 0);
                  h.number(
                      {.name = "offset_ms", .doc = "Start of the first slow time", .unit = "ms"},
                      interference.offset_ms, kNonNegative);
                }))
          s.interference = interference;
        SlowTail tail = s.tail.value_or(SlowTail{});
        g.present(s.tail.has_value());
        if (g.object(
                {.name = "tail", .doc = "Now and then one operation takes a multiple"},
                [&](Fields& h) {
                  h.number(
                      {.name = "probability", .doc = "Chance of one operation", .required = true},
                      tail.probability, kShare);
                  h.number({.name = "alpha",
                            .doc = "Exponent of the Pareto distribution of the multiple",
                            .required = true},
                           tail.alpha, kPositive);
                }))
          s.tail = tail;
      });
}

}  // namespace sluice
