// `pipeline.schedule`: a name, a name with parameters, a policy as rules, or an order written out.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "io/fields.hpp"
#include "schedule/registry.hpp"

namespace sluice {
namespace {

/// More pipes over the same ranks than any published schedule has.
constexpr int kMostPipes = 4;

// All parameters of all schedules, each name once; which schedule takes which is not the reader's
// business.
std::vector<ParameterInfo> known_parameters() {
  std::vector<ParameterInfo> out;
  for (const ScheduleInfo& info : all_schedules()) {
    for (const ParameterInfo& p : info.parameters) {
      const auto same = [&](const ParameterInfo& o) { return o.name == p.name; };
      if (std::none_of(out.begin(), out.end(), same)) out.push_back(p);
    }
  }
  return out;
}

std::vector<double> values_of(const ScheduleChoice& choice, std::string_view name) {
  for (const auto& [key, values] : choice.parameters) {
    if (key == name) return values;
  }
  return {};
}

void describe_parameter(Fields& f, const ParameterInfo& info, ScheduleChoice& choice) {
  std::vector<double> values = values_of(choice, info.name);
  f.present(!values.empty());
  const Key key{.name = info.name, .doc = info.doc};
  const double first = values.empty() ? 0 : values.front();
  bool found = false;
  if (info.type == ParameterType::Boolean) {
    bool on = first != 0;
    found = f.boolean(key, on);
    values = {on ? 1.0 : 0.0};
  } else if (info.type == ParameterType::Choice) {
    std::vector<Word> words;
    for (const std::string_view word : info.choices) words.push_back({word, ""});
    auto index = static_cast<std::size_t>(first);
    found = f.choice(key, index, words);
    values = {static_cast<double>(index)};
  } else if (info.type == ParameterType::Integer) {
    auto whole = static_cast<std::int64_t>(first);
    found = f.integer(key, whole, Range{info.least, info.most});
    values = {static_cast<double>(whole)};
  } else {
    const Range range{info.least, info.most};
    const std::array<Form, 2> forms{
        {{Shape::Scalar,
          [&](Fields& g) {
            double number = first;
            g.number({.name = "", .doc = info.doc}, number, range);
            values = {number};
          }},
         {Shape::List, [&](Fields& g) {
            g.list_of<double>({.name = "", .doc = info.doc}, values, [&](Fields& h, double& v) {
              h.number({.name = "", .doc = "Of one rank"}, v, range);
            });
          }}}};
    found = f.one_of(key, values.size() > 1 ? 1 : 0, forms);
  }
  if (found && !f.documenting()) choice.parameters.emplace_back(std::string(info.name), values);
}

void describe_policy(Fields& f, ScheduleChoice& choice) {
  PolicyText policy = choice.policy.value_or(PolicyText{});
  f.present(choice.policy.has_value());
  const bool found =
      f.object({.name = "policy", .doc = "Rules that an idle rank asks in order"}, [&](Fields& g) {
        g.boolean(
            {.name = "split",
             .doc = "Split the backward pass into input gradient (I) and weight gradient (W)"},
            policy.split);
        g.list_of<std::string>({.name = "rules",
                                .doc = "Each a kind (F, B, I, W), or `condition: kind`",
                                .required = true},
                               policy.rules, [](Fields& h, std::string& rule) {
                                 h.text({.name = "", .doc = "A kind, or a condition and a kind"},
                                        rule);
                               });
      });
  if (found && !f.documenting()) choice.policy = policy;
}

void describe_order(Fields& f, ScheduleChoice& choice) {
  OrderText order = choice.order.value_or(OrderText{});
  f.present(choice.order.has_value());
  const bool found = f.list_of<std::string>(
      {.name = "order", .doc = "The operations of each rank: F0@0 is microbatch 0 on stage 0"},
      order.order, [](Fields& g, std::string& list) {
        g.text({.name = "", .doc = "Operations of one rank, separated by blanks"}, list);
      });
  f.present(!order.placement.empty());
  f.object({.name = "placement", .doc = "With `order`: which rank holds which stage"},
           [&](Fields& g) {
             for (int pipe = 0; pipe < kMostPipes; ++pipe) {
               const std::string name = pipe_name(pipe);
               const auto at = std::find_if(order.placement.begin(), order.placement.end(),
                                            [&](const auto& p) { return p.first == name; });
               std::vector<std::int64_t> ranks;
               if (at != order.placement.end()) ranks = at->second;
               g.present(!ranks.empty());
               const bool given = g.list_of<std::int64_t>(
                   {.name = name, .doc = "Rank of each stage of this pipe, in model order"}, ranks,
                   [](Fields& h, std::int64_t& rank) {
                     h.integer({.name = "", .doc = "A rank, counted from 0"}, rank, kNonNegative);
                   });
               if (given && !g.documenting() && at == order.placement.end())
                 order.placement.emplace_back(name, ranks);
             }
           });
  if (found && !f.documenting()) choice.order = order;
}

}  // namespace

void describe_schedule(Fields& fields, ScheduleChoice& choice, bool planned) {
  constexpr std::string_view kDoc =
      "Name of a schedule, or a mapping with a name and parameters, a policy, or an order";
  const std::array<Form, 2> forms{{
      {Shape::Scalar, [&](Fields& f) { f.text({.name = "", .doc = kDoc}, choice.name); }},
      {Shape::Map,
       [&](Fields& f) {
         f.optional_text({.name = "name", .doc = "Name of a schedule"}, choice.name);
         for (const ParameterInfo& info : known_parameters()) describe_parameter(f, info, choice);
         describe_policy(f, choice);
         describe_order(f, choice);
         constexpr std::array<std::string_view, 3> kEither{"name", "policy", "order"};
         f.exclusive(kEither, true);
       }},
  }};
  const bool plain = !choice.policy && !choice.order && choice.parameters.empty();
  fields.one_of({.name = "schedule", .doc = kDoc, .required = !planned}, plain ? 0 : 1, forms);
}

}  // namespace sluice
