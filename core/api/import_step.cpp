#include "api/import_step.hpp"

#include <algorithm>
#include <vector>

#include "io/json.hpp"

namespace sluice {
namespace {

constexpr double kNsPerMs = 1e6;

Json step_json(const std::vector<OpEvent>& step, const std::vector<std::int32_t>& ranks) {
  Json out = Json::array();
  for (const OpEvent& e : step) {
    const auto place = std::find(ranks.begin(), ranks.end(), e.rank) - ranks.begin();
    out.push_back(Json::array({place, std::string(kind_text(e.kind)), e.stage, e.microbatch,
                               static_cast<double>(e.start_ns) / kNsPerMs,
                               static_cast<double>(e.end_ns) / kNsPerMs}));
  }
  return out;
}

}  // namespace

std::string import_step_json(const ImportedTrace& i) {
  Json out = Json::object();
  out["measured"] = step_json(i.measured_step, i.ranks);
  out["simulated"] = step_json(i.simulated_step, i.ranks);
  return json_text(out);
}

}  // namespace sluice
