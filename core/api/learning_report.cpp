// A comparison of how schedules learn, as JSON and as a table.
#include <algorithm>
#include <string>

#include "api/learning.hpp"
#include "io/csv_table.hpp"
#include "io/json.hpp"
#include "io/number.hpp"
#include "trace/trace.hpp"

namespace sluice {
namespace {

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json arm_json(const LearnArm& arm, const std::optional<double>& stable) {
  if (!arm.refused.empty())
    return json_object({{"schedule", arm.schedule}, {"refused", arm.refused}});
  return json_object({{"schedule", arm.schedule},
                      {"synchronous", arm.synchronous},
                      {"microbatches_per_update", arm.microbatches_per_update},
                      {"rate_factor", arm.rate_factor},
                      {"ms_per_microbatch", arm.ms_per_microbatch()},
                      {"utilization", arm.utilization},
                      {"peak_memory_bytes", arm.peak_memory.value},
                      {"peak_in_flight", arm.peak_in_flight},
                      {"weight_copies", arm.weight_copies},
                      {"summed_bytes_per_rank_and_update", arm.summed.value},
                      {"drift_max", arm.staleness.drift_max},
                      {"drift_mean", arm.staleness.drift_mean},
                      {"drifted_share", arm.staleness.drifted},
                      {"delay_max", arm.staleness.delay_max},
                      {"skew_max", arm.staleness.skew_max},
                      {"largest_stable_rate", optional_json(stable)}});
}

double ms_at(const LearnArm& arm, std::uint64_t microbatches) {
  if (microbatches == 0 || arm.done_ps.empty()) return 0;
  const std::uint64_t last = std::min<std::uint64_t>(microbatches, arm.done_ps.size()) - 1;
  return to_ms(Time{arm.done_ps[static_cast<std::size_t>(last)]});
}

}  // namespace

std::string Learning::json(int indent) const {
  Json arms = Json::array();
  for (std::size_t i = 0; i < arms_.size(); ++i) arms.push_back(arm_json(arms_[i], stable_rate(i)));
  const std::optional<double> goal = target();
  Json cases = Json::array();
  for (const LearnedCase& one : cases_) {
    const LearnArm& arm = arms_[one.arm];
    Json seeds = Json::array();
    for (const LearnedSeed& seed : one.seeds) {
      Json curve = Json::array();
      for (const learn::LossPoint& p : seed.curve) {
        curve.push_back(
            Json::array({p.samples, ms_at(arm, p.samples / model_.batch), p.train, p.test}));
      }
      seeds.push_back(json_object({{"seed", seed.seed},
                                   {"diverged", seed.diverged},
                                   {"test_loss", optional_json(seed.test_loss)},
                                   {"weights_hash", hash_text_of(seed.weights_hash)},
                                   {"curve", curve}}));
    }
    const std::optional<Reached> at = goal ? reached(one, *goal) : std::nullopt;
    cases.push_back(
        json_object({{"arm", one.arm},
                     {"schedule", arm.schedule},
                     {"rate", one.rate},
                     {"diverged", one.diverged()},
                     {"test_loss_mean", optional_json(one.mean())},
                     {"test_loss_sd", optional_json(one.sd())},
                     {"microbatches_to_target", at ? Json(at->microbatches) : Json(nullptr)},
                     {"ms_to_target", at ? Json(at->ms) : Json(nullptr)},
                     {"seeds", seeds}}));
  }
  return json_text(json_object({{"model", learn_model_word(model_.kind)},
                                {"stages", model_.stages},
                                {"samples_per_microbatch", model_.batch},
                                {"microbatches", request_.microbatches},
                                {"seeds", request_.seeds},
                                {"target", optional_json(goal)},
                                {"curve_columns", {"samples", "ms", "train", "test"}},
                                {"arms", arms},
                                {"cases", cases}}),
                   indent);
}

std::string Learning::csv() const {
  std::string out = "schedule,rate,seed,samples,ms,train_loss,test_loss\n";
  for (const LearnedCase& one : cases_) {
    const LearnArm& arm = arms_[one.arm];
    for (const LearnedSeed& seed : one.seeds) {
      for (const learn::LossPoint& p : seed.curve) {
        out += csv_text(arm.schedule) + ',' + number_text(one.rate) + ',' +
               std::to_string(seed.seed) + ',' + std::to_string(p.samples) + ',' +
               number_text(ms_at(arm, p.samples / model_.batch)) + ',' + number_text(p.train) +
               ',' + number_text(p.test) + '\n';
      }
    }
  }
  return out;
}

}  // namespace sluice
