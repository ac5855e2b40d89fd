// Prints "name value" lines for report.mjs: the reference loop's speed on this target. Times are
// the least of several repeats, in seconds of steady clock.
#include <chrono>
#include <cstdio>

#include "bench/reference_loop.hpp"

namespace {

constexpr int kRepeats = 11;

/// Least time of `kRepeats` calls of `play` on what `prepare` makes anew each time; `play` returns
/// the events it handled.
template <typename Prepare, typename Play>
void measure(const char* name, Prepare prepare, Play play) {
  double least = 1e9;
  std::uint64_t events = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    auto prepared = prepare();
    const auto before = std::chrono::steady_clock::now();
    events = play(prepared);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    least = took.count() < least ? took.count() : least;
  }
  std::printf("%s.events %llu\n%s.seconds %.6f\n", name, static_cast<unsigned long long>(events),
              name, least);
}

void measure_reference(const char* name, const sluice_bench::ReferencePipeline& pipeline) {
  sluice_bench::ReferenceColumns columns;
  measure(
      name, [&] { return sluice_bench::ReferenceLoop(pipeline, columns); },
      [](sluice_bench::ReferenceLoop& loop) { return loop.play().events; });
}

}  // namespace

int main() {
  measure_reference("reference", {});
  measure_reference("reference_noise", {.noise = true});
  return 0;
}
