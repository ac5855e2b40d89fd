#include "io/expect_json.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "io/number.hpp"
#include "io/path_steps.hpp"

namespace sluice {
namespace {

// Printed values have fewer digits than computed ones.
constexpr double kDefaultTolerance = 1e-6;

struct Found {
  const Json* at = nullptr;
  /// The name nearest to the first that is not there, or "".
  std::string near;
};

Found find(const Json& summary, const std::string& path) {
  const std::vector<PathStep> steps = path_steps(path);
  Found found{steps.empty() ? nullptr : &summary, ""};
  for (const PathStep& step : steps) {
    const Json& here = *found.at;
    found.at = nullptr;
    if (step.index >= 0) {
      const auto index = static_cast<std::size_t>(step.index);
      if (here.is_array() && index < here.size()) found.at = &here[index];
    } else if (const auto entry = here.find(step.key); entry != here.end()) {
      found.at = &*entry;
    } else if (here.is_object()) {
      std::vector<std::string> names;
      for (const auto& member : here.items()) names.push_back(member.key());
      found.near = nearest(step.key, names);
    }
    if (found.at == nullptr) break;
  }
  return found;
}

}  // namespace

Verdict judge(const std::vector<Expectation>& expectations, const Json& summary) {
  Verdict out;
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    const Expectation& e = expectations[i];
    const std::string place = "expect[" + std::to_string(i) + "]";
    const Found found = find(summary, e.path);
    const char* key = e.value ? "value" : e.at_most ? "at_most" : "at_least";
    const double bound = e.value ? *e.value : e.at_most ? *e.at_most : e.at_least.value_or(0);
    Json entry = json_object({{"path", e.path}, {key, bound}});
    if (e.tolerance) entry["tolerance"] = *e.tolerance;
    const bool truth = found.at != nullptr && found.at->is_boolean();
    if (!truth && (found.at == nullptr || !found.at->is_number())) {
      entry["found"] = nullptr;
      entry["passed"] = false;
      out.unmet.push_back(warning(
          Code::ExpectPath, place + ".path", "the summary has no number at `" + e.path + "`",
          found.near.empty() ? "" : "did you mean \"" + found.near + "\"?"));
    } else {
      const double is = truth ? (found.at->get<bool>() ? 1 : 0) : found.at->get<double>();
      const double off = e.tolerance.value_or(kDefaultTolerance * std::fabs(bound));
      const bool passed = e.value     ? std::fabs(is - bound) <= off
                          : e.at_most ? is <= bound
                                      : is >= bound;
      entry["found"] = is;
      entry["passed"] = passed;
      if (!passed) {
        std::string wanted = number_text(bound);
        if (e.at_most) wanted = "at most " + wanted;
        if (e.at_least) wanted = "at least " + wanted;
        out.unmet.push_back(
            warning(Code::ExpectFailed, place,
                    "`" + e.path + "` is " + number_text(is) + "; expected is " + wanted));
      }
    }
    out.list.push_back(std::move(entry));
  }
  return out;
}

}  // namespace sluice
