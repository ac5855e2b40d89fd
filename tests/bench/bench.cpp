// Prints "name, seconds, events, tasks" lines for report.mjs: speed of the reference loop and of
// the engine, and how long it takes to load scenarios. All take turns, round after round, so that a
// busy moment of the machine hits them alike; the least time counts. "Events" are those a loop
// applied, "tasks" the operations it played.
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/load.hpp"
#include "api/run.hpp"
#include "api/sweep.hpp"
#include "api/tune.hpp"
#include "bench/bench_scenario.hpp"
#include "bench/reference_loop.hpp"
#include "io/schedule_json.hpp"
#include "schedule/registry.hpp"

namespace {

constexpr int kRounds = 11;
constexpr std::uint64_t kAllEvents = std::uint64_t{1} << 40;

void complain(const std::string& name, const sluice::Diagnostics& diagnostics) {
  for (const sluice::Diagnostic& d : diagnostics) {
    std::fprintf(stderr, "%s: %d:%d: %s\n", name.c_str(), d.line, d.column, d.message.c_str());
  }
  std::exit(1);
}

/// One line of the table. `play` runs once, times its own essential part and says what it did.
struct Outcome {
  double seconds = 0;
  std::uint64_t events = 0;
  std::uint64_t tasks = 0;
};
struct Bench {
  std::string name;
  std::function<Outcome()> play;
  Outcome best = {.seconds = 1e9};
};

template <typename Body>
double seconds_of(Body body) {
  const auto before = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  return took.count();
}

Bench reference(std::string name, const sluice_bench::ReferencePipeline& pipeline) {
  const auto columns = std::make_shared<sluice_bench::ReferenceColumns>();
  return {std::move(name), [=] {
            sluice_bench::ReferenceLoop loop(pipeline, *columns);
            Outcome outcome;
            outcome.seconds = seconds_of([&] { outcome.events = loop.play().events; });
            outcome.tasks = columns->start.size();
            return outcome;
          }};
}

Bench engine(std::string name, const sluice_bench::BenchScenario& scenario) {
  auto loaded = sluice::load_scenario(sluice_bench::scenario_text(scenario));
  if (!loaded.ok()) complain(name, loaded.diagnostics());
  const auto program = std::make_shared<const sluice::Program>(loaded.value().program);
  return {std::move(name), [program] {
            sluice::Engine engine(*program);
            Outcome outcome;
            outcome.seconds = seconds_of([&] { engine.step(kAllEvents); });
            outcome.events = engine.events();
            outcome.tasks = program->operations_per_batch;
            return outcome;
          }};
}

Bench load(const std::string& name, const std::string& text) {
  return {"load." + name, [=] {
            Outcome outcome;
            outcome.seconds = seconds_of([&] {
              const auto loaded = sluice::load_scenario(text);
              if (!loaded.ok()) complain(name, loaded.diagnostics());
            });
            return outcome;
          }};
}

// How long a schedule takes to make its order, 64 ranks x 512 microbatches; "tasks" are its
// operations.
Bench generator(const std::string& name, int ranks, int microbatches) {
  return {"order." + name + " " + std::to_string(ranks) + " x " + std::to_string(microbatches),
          [=] {
            Outcome outcome;
            outcome.seconds = seconds_of([&] {
              const auto plan = sluice::order_of({name, ranks, microbatches, {}});
              if (!plan.ok()) complain(name, plan.diagnostics());
              outcome.tasks = plan.value().order->operations.size();
            });
            return outcome;
          }};
}

// One thread; "tasks" are runs.
Bench sweep(const std::string& name, const std::string& file, std::vector<sluice::Axis> axes,
            std::int64_t seeds) {
  std::ifstream in(SLUICE_SOURCE_DIR "/examples/" + file, std::ios::binary);
  const sluice::SweepRequest request{
      {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()},
      {},
      std::move(axes),
      seeds};
  return {"sweep." + name, [=] {
            auto job = sluice::Sweep::make(request);
            if (!job.ok()) complain(name, job.diagnostics());
            Outcome outcome;
            outcome.tasks = job.value().total();
            outcome.seconds = seconds_of([&] { job.value().step(outcome.tasks); });
            return outcome;
          }};
}

// Plans that the tuner tries in a second; "tasks" are evaluations. One known schedule, no ablation.
Bench search(const std::string& name, const std::string& file) {
  std::ifstream in(SLUICE_SOURCE_DIR "/tests/data/octopipe/" + file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return {"search." + name, [=] {
            sluice::TuneRequest request;
            request.evaluations = 1000;
            request.ablation = false;
            request.schedules = {"1f1b"};
            auto job = sluice::Tuning::make(text, {}, request);
            if (!job.ok()) complain(name, job.diagnostics());
            Outcome outcome;
            outcome.tasks = request.evaluations;
            outcome.seconds = seconds_of([&] {
              while (!job.value().step(outcome.tasks)) {
              }
            });
            return outcome;
          }};
}

std::vector<Bench> all_benches() {
  std::vector<Bench> benches{
      reference("reference", {}),
      engine("engine", {}),
      reference("reference_noise", {.noise = true}),
      engine("engine_noise", {.noise = true}),
      engine("engine_shared_links", {.transfers = "shared"}),
      engine("engine_8_stages", {.stages = 8, .microbatches = 32768}),
      engine("engine_512_stages", {.stages = 512, .microbatches = 512}),
      load("(generated, 512 stages)", sluice_bench::scenario_text({.stages = 512})),
  };
  constexpr int kSeeds = 100;
  benches.push_back(sweep("seeds of default.yaml", "default.yaml", {}, kSeeds));
  benches.push_back(sweep("bandwidths of default.yaml", "default.yaml",
                          {*sluice::parse_axis("hardware.links[0].bandwidth_GBps=1:10.9:0.1")}, 1));
  benches.push_back(search("gemma2_9b, 8 ranks x 32", "gemma2_9b_d8_m32.yaml"));
  benches.push_back(search("nemotron_h_8b, 8 ranks x 32", "nemotron_h_8b_d8_m32.yaml"));
  benches.push_back(generator("zb_auto", 16, 64));
  for (const sluice::ScheduleInfo& info : sluice::all_schedules()) {
    if (info.order != nullptr) benches.push_back(generator(std::string(info.name), 64, 512));
  }
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(SLUICE_SOURCE_DIR "/examples")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    benches.push_back(load(file.filename().string(),
                           {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}));
  }
  return benches;
}

}  // namespace

int main() {
#if defined(M_MMAP_THRESHOLD)
  // Memory that was used stays with the program, as it does in WebAssembly; else each round would
  // pay for fresh pages.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  auto benches = all_benches();
  for (int round = 0; round < kRounds; ++round) {
    for (Bench& bench : benches) {
      const Outcome outcome = bench.play();
      if (outcome.seconds < bench.best.seconds) bench.best = outcome;
    }
  }
  for (const Bench& bench : benches) {
    std::printf("%s\t%.7f\t%llu\t%llu\n", bench.name.c_str(), bench.best.seconds,
                static_cast<unsigned long long>(bench.best.events),
                static_cast<unsigned long long>(bench.best.tasks));
  }
  return 0;
}
