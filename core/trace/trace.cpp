#include "trace/trace.hpp"

#include "base/hash.hpp"

namespace sluice {

std::uint64_t trace_hash(const Trace& trace) {
  // Two chains side by side: the multiplications of one fill the latency of the other.
  Hasher times;
  Hasher names;
  times.add(trace.rows());
  for (std::size_t i = 0; i < trace.rows(); ++i) {
    times.add(static_cast<std::uint64_t>(trace.start[i]));
    times.add(static_cast<std::uint64_t>(trace.end[i]));
    names.add((static_cast<std::uint64_t>(trace.resource[i]) << 32) |
              (static_cast<std::uint64_t>(trace.kind[i]) << 16) | trace.stage[i]);
    names.add((static_cast<std::uint64_t>(trace.index[i]) << 32) | trace.predecessor[i]);
  }
  for (std::size_t i = 0; i < trace.outcome.size(); ++i) names.add(trace.outcome[i]);
  Hasher both;
  both.add(times.value());
  both.add(names.value());
  return both.value();
}

std::string row_text(const Trace& trace, std::size_t row) {
  std::string text(kind_text(trace.kind_at(row)));
  if (!trace.per_microbatch(row)) return text;
  if (trace.resource[row] >= trace.devices) text += ' ';
  text += std::to_string(trace.microbatch_at(row));
  if (trace.slices > 1) text += "." + std::to_string(trace.slice_at(row));
  return text + "@" + std::to_string(trace.model_stage_at(row));
}

std::string hash_text_of(std::uint64_t hash) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; hash >>= 4) text[i] = kDigits[hash & 15U];
  return text;
}

}  // namespace sluice
