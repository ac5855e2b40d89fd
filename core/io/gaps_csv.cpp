#include "io/gaps_csv.hpp"

#include <cstdint>

#include "io/csv_table.hpp"
#include "io/number.hpp"
#include "io/resource_text.hpp"
#include "metrics/gaps.hpp"

namespace sluice {
namespace {

// "dependency 2.0 B0@1 on d1", "link_busy 0.5 activation 3@0 waits on a->b", "barrier 0.2".
std::string step_text(const Program& program, const Trace& trace, const WaitStep& step) {
  std::string text = std::string(cause_text(step.cause)) + ' ' + ms_text(step.to - step.from);
  if (step.row == kNoRow) return text;
  text += ' ' + row_text(trace, step.row) + (step.under_way ? " on " : " waits on ");
  return text + resource_text(program.machine, trace.devices, trace.resource[step.row]);
}

}  // namespace

std::string gaps_csv(const Program& program, const Trace& trace) {
  const IdleTime idle(program, trace);
  std::string out = "rank,device,start_ms,end_ms,idle_ms,next,batch";
  for (std::size_t c = 0; c < kIdleCauses; ++c) {
    out += ',';
    out += cause_text(static_cast<IdleCause>(c));
    out += "_ms";
  }
  out += ",chain,could_run\n";
  for (const Gap& gap : idle.gaps()) {
    const GapReasons reasons = idle.reasons(gap);
    out += std::to_string(program.ranks_of_device[program.first_rank[gap.device]]) + ',' +
           csv_text(program.machine.devices[gap.device].id) + ',' + ms_text(gap.from) + ',' +
           ms_text(gap.to) + ',' + ms_text(gap.to - gap.from) + ',';
    if (gap.next != kNoRow)
      out += row_text(trace, gap.next) + ',' + std::to_string(trace.batch_at(gap.next));
    else
      out += ',';
    for (const Duration part : reasons.causes.of) out += ',' + ms_text(part.ps);
    std::string chain;
    for (const WaitStep& step : reasons.chain)
      chain += (chain.empty() ? "" : " < ") + step_text(program, trace, step);
    std::string ready;
    for (std::uint32_t i = gap.first_ready; i < gap.end_ready; ++i)
      ready += (ready.empty() ? "" : "; ") + step_text(program, trace, idle.could_run()[i]);
    out += ',' + csv_text(chain) + ',' + csv_text(ready) + '\n';
  }
  return out;
}

}  // namespace sluice
