// Prints "name value" lines for report.mjs: speed of the reference loop and of the engine, and how
// long it takes to load scenarios. Times are the least of several repeats, in seconds of steady
// clock; "events" are those the loop applied, "tasks" the operations it played.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "api/load.hpp"
#include "api/run.hpp"
#include "bench/bench_scenario.hpp"
#include "bench/reference_loop.hpp"

namespace {

constexpr int kRepeats = 11;
constexpr std::uint64_t kAllEvents = std::uint64_t{1} << 40;

/// Least time of `kRepeats` calls of `play` on what `prepare` makes anew each time; returns what
/// `play` returned last.
template <typename Prepare, typename Play>
std::uint64_t measure(const std::string& name, Prepare prepare, Play play) {
  double least = 1e9;
  std::uint64_t result = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    auto prepared = prepare();
    const auto before = std::chrono::steady_clock::now();
    result = play(prepared);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    least = std::min(least, took.count());
  }
  std::printf("%s.seconds %.7f\n", name.c_str(), least);
  return result;
}

void print(const std::string& name, std::uint64_t value) {
  std::printf("%s %llu\n", name.c_str(), static_cast<unsigned long long>(value));
}

void measure_reference(const std::string& name, const sluice_bench::ReferencePipeline& pipeline) {
  sluice_bench::ReferenceColumns columns;
  print(name + ".events",
        measure(
            name, [&] { return sluice_bench::ReferenceLoop(pipeline, columns); },
            [](sluice_bench::ReferenceLoop& loop) { return loop.play().events; }));
  print(name + ".tasks", columns.start.size());
}

void complain(const std::string& name, const sluice::Diagnostics& diagnostics) {
  for (const sluice::Diagnostic& d : diagnostics) {
    std::fprintf(stderr, "%s: %d:%d: %s\n", name.c_str(), d.line, d.column, d.message.c_str());
  }
  std::exit(1);
}

void measure_engine(const std::string& name, const sluice_bench::BenchScenario& scenario) {
  const auto loaded = sluice::load_scenario(sluice_bench::scenario_text(scenario));
  if (!loaded.ok()) complain(name, loaded.diagnostics());
  const std::uint64_t events = measure(
      name, [&] { return sluice::Engine(loaded.value().program); },
      [](sluice::Engine& engine) {
        engine.step(kAllEvents);
        return engine.events();
      });
  print(name + ".events", events);
  print(name + ".tasks", loaded.value().program.operations_per_batch);
}

void measure_load(const std::string& name, const std::string& text) {
  measure(
      "load." + name, [] { return 0; },
      [&](int&) {
        const auto loaded = sluice::load_scenario(text);
        if (!loaded.ok()) complain(name, loaded.diagnostics());
        return std::uint64_t{1};
      });
}

void measure_examples() {
  namespace fs = std::filesystem;
  const fs::path folder = SLUICE_SOURCE_DIR "/examples";
  if (!fs::exists(folder)) return;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    measure_load(file.filename().string(),
                 {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  }
}

}  // namespace

int main() {
  measure_reference("reference", {});
  measure_reference("reference_noise", {.noise = true});
  measure_engine("engine", {});
  measure_engine("engine_noise", {.noise = true});
  measure_engine("engine_shared_links", {.transfers = "shared"});
  measure_engine("engine_8_stages", {.stages = 8, .microbatches = 32768});
  measure_engine("engine_512_stages", {.stages = 512, .microbatches = 512});
  measure_load("generated_512_stages", sluice_bench::scenario_text({.stages = 512}));
  measure_examples();
  return 0;
}
