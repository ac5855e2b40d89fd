#include "learn/table_needs.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace sluice::learn {
namespace {

std::string entry(const char* column, std::size_t at) {
  return std::string("versions.") + column + "[" + std::to_string(at) + "]";
}

std::string place(const VersionTable& table, std::size_t at) {
  return "microbatch " + std::to_string(at / table.stages) + " at stage " +
         std::to_string(at % table.stages);
}

Diagnostics shape(const VersionTable& table) {
  const std::size_t entries = std::size_t{table.microbatches} * table.stages;
  if (entries > 0 && table.forward.size() == entries && table.backward.size() == entries &&
      table.update.size() == entries)
    return {};
  return {error(Code::ValueRange, "versions",
                "a table of " + std::to_string(table.microbatches) + " microbatches and " +
                    std::to_string(table.stages) + " stages has at least one of both, and " +
                    std::to_string(entries) + " entries a column")};
}

Diagnostics updates(const VersionTable& table) {
  for (std::size_t at = 0; at < table.update.size(); ++at) {
    const bool first = at < table.stages;
    const std::uint32_t before = first ? 0 : table.update[at - table.stages];
    const std::uint32_t now = table.update[at];
    if (now == before || (!first && now == before + 1)) continue;
    return {error(Code::ValueRange, entry("update", at),
                  place(table, at) + " goes into update " + std::to_string(now) +
                      (first ? ": the first update is 0"
                             : " after update " + std::to_string(before) +
                                   ": the same or the next one is allowed"))};
  }
  return {};
}

Diagnostics reads(const VersionTable& table, const char* column,
                  const std::vector<std::uint32_t>& versions) {
  for (std::size_t at = 0; at < versions.size(); ++at) {
    if (versions[at] <= table.update[at]) continue;
    return {error(Code::ValueRange, entry(column, at),
                  place(table, at) + " reads version " + std::to_string(versions[at]) +
                      ", but version " + std::to_string(table.update[at]) +
                      " is the newest there can be before its own gradient is applied")};
  }
  return {};
}

}  // namespace

Result<TableNeeds> table_needs(const VersionTable& table) {
  Diagnostics wrong = shape(table);
  if (wrong.empty()) wrong = updates(table);
  if (!wrong.empty()) return wrong;
  for (auto& found :
       {reads(table, "forward", table.forward), reads(table, "backward", table.backward)})
    wrong.insert(wrong.end(), found.begin(), found.end());
  if (!wrong.empty()) return wrong;

  TableNeeds out;
  for (std::uint32_t s = 0; s < table.stages; ++s) {
    std::uint32_t depth = 2;
    std::uint64_t delays = 0;
    // From the end: the oldest version that this microbatch or a later one reads.
    std::uint32_t oldest = table.update[table.at(table.microbatches - 1, s)];
    for (std::uint32_t i = table.microbatches; i-- > 0;) {
      const std::size_t at = table.at(i, s);
      const std::uint32_t newest = table.update[at];
      oldest = std::min({oldest, table.forward[at], table.backward[at]});
      // While it passes, versions up to the newest stand, and the next one is made.
      depth = std::max(depth, newest - oldest + 2);
      delays += newest - table.forward[at];
    }
    out.depth.push_back(depth);
    out.delay.push_back(static_cast<double>(delays) / static_cast<double>(table.microbatches));
  }
  return out;
}

}  // namespace sluice::learn
