// Any bytes as a scenario: they come back as diagnostics or as a run that can be printed, never as
// a crash, a hang or an exception. Only small runs are played, so that time goes into texts.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "api/load.hpp"
#include "api/run.hpp"

namespace {

constexpr std::uint64_t kMostRows = 5'000;
constexpr std::uint64_t kMostEvents = 50'000;

void play(sluice::Loaded loaded) {
  sluice::Simulation simulation(std::move(loaded));
  if (!simulation.step(kMostEvents)) return;
  const auto run = simulation.finish();
  if (!run.ok()) return;
  const sluice::Run& finished = *run.value();
  (void)finished.summary_json();
  (void)finished.plan_json();
  (void)finished.resolved_yaml();
  (void)finished.trace_csv();
  (void)finished.chrome_trace();
  (void)finished.timeline_svg();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto loaded = sluice::load_scenario(text);
  if (loaded.ok() && loaded.value().program.rows_per_batch < kMostRows) {
    play(std::move(loaded).value());
  }
  return 0;
}
