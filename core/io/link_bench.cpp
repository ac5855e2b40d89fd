#include "io/link_bench.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "io/excerpt.hpp"
#include "io/json_fields.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

std::optional<Pair> pair_of(std::string_view label) {
  constexpr std::string_view kPrefix = "pair_";
  if (!label.starts_with(kPrefix)) return std::nullopt;
  label.remove_prefix(kPrefix.size());
  const std::size_t cut = label.find('_');
  if (cut == std::string_view::npos) return std::nullopt;
  const auto stage = [](std::string_view text) -> std::int32_t {
    constexpr std::size_t kMostDigits = 6;
    const bool digits = !text.empty() && text.size() <= kMostDigits &&
                        text.find_first_not_of("0123456789") == std::string_view::npos;
    return digits ? static_cast<std::int32_t>(parse_number(text).value) : -1;
  };
  const Pair pair{stage(label.substr(0, cut)), stage(label.substr(cut + 1))};
  if (pair.first < 0 || pair.second < 0 || pair.first == pair.second) return std::nullopt;
  return pair;
}

class Reader {
 public:
  Result<std::vector<BenchedLink>> read(std::string_view text) {
    each_json_line(text, true, problems_,
                   [&](const Json& object, int line) { read_row(object, line); });
    if (problems_.empty() && links_.empty())
      problems_.add(Code::TraceEmpty, 1, "no p2p row in this link benchmark");
    for (const auto& [pair, line] : first_line_) {
      if (links_[pair].points.empty() && problems_.empty()) {
        problems_.add(Code::TraceRanks, line,
                      "pair_" + std::to_string(pair.first) + "_" + std::to_string(pair.second) +
                          " has no row of rank 0, which is the sender");
      }
    }
    if (!problems_.empty()) return problems_.all();
    std::vector<BenchedLink> out;
    for (auto& [pair, link] : links_) {
      std::stable_sort(
          link.points.begin(), link.points.end(),
          [](const LinkSample& a, const LinkSample& b) { return a.size_MiB < b.size_MiB; });
      out.push_back(std::move(link));
    }
    return out;
  }

 private:
  void read_row(const Json& object, int line) {
    JsonFields f(object, line, problems_);
    const auto mode = f.text("mode");
    if (!mode || *mode != "p2p") return;
    const auto label = f.text("label");
    const auto rank = f.whole("rank", std::numeric_limits<std::int32_t>::max());
    const auto size = f.number("size_mb");
    const auto time = f.number("p50_ms");
    if (!label || !rank || !size || !time) return;
    const auto pair = pair_of(*label);
    if (!pair) {
      f.wrong("`label` is \"" + excerpt(*label) + "\"; it is pair_I_J with two stages");
      return;
    }
    if (*size <= 0 || *time < 0) {
      f.wrong("a message of " + number_text(*size) + " MiB in " + number_text(*time) + " ms");
      return;
    }
    BenchedLink& link = links_[*pair];
    first_line_.emplace(*pair, line);
    if (*rank != 0) return;
    const bool again = std::any_of(link.points.begin(), link.points.end(),
                                   [&](const LinkSample& p) { return p.size_MiB == *size; });
    if (again) {
      f.wrong(excerpt(*label) + " has a second row of " + number_text(*size) + " MiB");
      return;
    }
    link.from_stage = pair->first;
    link.to_stage = pair->second;
    link.points.push_back({*size, *time});
  }

  ProblemList problems_;
  std::map<Pair, BenchedLink> links_;
  std::map<Pair, int> first_line_;
};

}  // namespace

Result<std::vector<BenchedLink>> read_link_bench(std::string_view text) {
  return Reader().read(text);
}

}  // namespace sluice
