#include "io/memory_csv.hpp"

#include "io/csv_table.hpp"
#include "io/memory_parts.hpp"
#include "io/number.hpp"
#include "metrics/memory.hpp"

namespace sluice {

std::string memory_csv(const Program& program, const Costs& costs, const Trace& trace) {
  std::string out = "device,time_ms,operation";
  for (const PartField& field : kPartFields) out += "," + std::string(field.name) + "_bytes";
  out += ",total_bytes\n";
  for (const std::uint32_t device : program.stage_devices) {
    const std::string id = csv_text(program.machine.devices[device].id);
    for (const MemoryMoment& m : memory_timeline(program, costs, trace, device)) {
      out += id + ',' + ms_text(m.ps) + ',' + (m.row == kNoRow ? "" : row_text(trace, m.row));
      for (const PartField& field : kPartFields)
        out += ',' + std::to_string((m.parts.*field.bytes).value);
      out += ',' + std::to_string(m.parts.total().value) + '\n';
    }
  }
  return out;
}

}  // namespace sluice
