// Monte Carlo: closed forms of one stage with normal times, what runs have in common, and constants
// of a calibration.
#include "api/monte_carlo.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "api/calibration_draws.hpp"
#include "api/monte_carlo_report.hpp"
#include "api/run.hpp"
#include "io/calibration_intervals.hpp"
#include "io/json.hpp"
#include "io/presets.hpp"
#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

/// One stage, 16 microbatches; a forward is N(100, 10) ms, a backward twice such a draw. So a step
/// is N(16 * 300, sqrt(16 * 5) * 10): 4800 and 89.44 ms.
constexpr std::string_view kNoisy = R"(simulation:
  microbatches: 16
  seed: 3
pipeline:
  schedule: 1f1b
  activation_mb: 8
  backward_factor: 2
  stages:
    - device: a
      weights_mb: 100
      compute: {mode: explicit, distribution: {type: normal, mean: 100, std: 10}}
hardware:
  devices:
    - {id: a, gpu: a100, node: n0, socket: 0}
)";
constexpr double kMean = 4800;
const double kSd = std::sqrt(80.0) * 10;

/// Two stages of layers on devices that megatron_local knows.
constexpr std::string_view kLayers = R"(simulation:
  microbatches: 6
  seed: 3
pipeline:
  schedule: 1f1b
  model: {hidden_dim: 1024, seq_len: 1024, vocab_size: 50304, heads: 8}
  stages:
    - {device: a, layers: 4}
    - {device: b, layers: 4}
hardware:
  devices:
    - {id: a, gpu: h100, node: n0, socket: 0}
    - {id: b, gpu: a10g, node: n1, socket: 0}
  links:
    - {default: true, bandwidth_GBps: 1.25, latency_us: 50}
)";

MonteCarlo job_of(std::string_view text, std::int64_t runs,
                  const std::vector<std::string>& axes = {},
                  const std::vector<Setting>& settings = {}) {
  MonteCarloRequest request;
  request.text = text;
  request.runs = runs;
  request.settings = settings;
  for (const std::string& axis : axes) request.axes.push_back(*parse_axis(axis));
  Result<MonteCarlo> job = MonteCarlo::make(request);
  REQUIRE_MESSAGE(job.ok(), (job.ok() ? "" : listing(job.diagnostics())));
  return std::move(job).value();
}

MonteCarlo done(std::string_view text, std::int64_t runs, const std::vector<std::string>& axes = {},
                const std::vector<Setting>& settings = {}) {
  MonteCarlo job = job_of(text, runs, axes, settings);
  CHECK(job.step(job.total()));
  return job;
}

double makespan(const MonteCarlo& job, std::size_t trial) {
  return job.results()[trial].metrics.at(0);
}

}  // namespace

TEST_SUITE("api/monte_carlo") {
  TEST_CASE("run k is the scenario with the k-th seed") {
    const MonteCarlo job = done(kNoisy, 3, {"pipeline.schedule=1f1b,gpipe"});
    REQUIRE(job.results().size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
      const auto run = simulate(kNoisy, {{"pipeline.schedule", i % 2 == 0 ? "1f1b" : "gpipe"},
                                         {"simulation.seed", std::to_string(3 + i / 2)}});
      REQUIRE(run.ok());
      CHECK(job.results()[i].trace_hash == run.value()->trace_hash());
      CHECK(makespan(job, i) == to_ms(run.value()->summary().makespan));
    }
  }

  TEST_CASE("steps of one give the same bytes as one large step, workers in any order too") {
    const std::vector<std::string> axes{"pipeline.schedule=1f1b,nonsense,gpipe"};
    for (const std::string_view text : {kNoisy, kLayers}) {
      MonteCarlo one = job_of(text, 5, axes);
      while (!one.step(1)) {
      }
      const MonteCarlo all = done(text, 5, axes);
      CHECK(monte_carlo_csv(one) == monte_carlo_csv(all));
      CHECK(monte_carlo_json(one, 0.01) == monte_carlo_json(all, 0.01));
      MonteCarloWorker backwards(all.trials());
      for (std::size_t i = all.results().size(); i-- > 0;)
        CHECK(backwards.run(i).trace_hash == all.results()[i].trace_hash);
    }
  }

  TEST_CASE("a sum of normals: median, band and spread of the closed form") {
    const MonteCarlo job = done(kNoisy, 4000);
    const MetricBand band = report_of(job, 0.01).front().bands.front();
    // Four standard errors: sd / sqrt(n), 1.2533 and 2.11 times that for the median and the ends
    // of the band.
    const double error = 4 * kSd / std::sqrt(4000.0);
    CHECK(std::fabs(band.mean - kMean) < error);
    CHECK(std::fabs(band.median - kMean) < 1.2533 * error);
    CHECK(std::fabs(band.p5 - (kMean - 1.6449 * kSd)) < 2.11 * error);
    CHECK(std::fabs(band.p95 - (kMean + 1.6449 * kSd)) < 2.11 * error);
    CHECK(band.sd == doctest::Approx(kSd).epsilon(4 / std::sqrt(8000.0)));
    REQUIRE(band.median_interval);
    CHECK(band.median_interval->low < band.median);
    CHECK(band.median < band.median_interval->high);
    // (1.96 * 1.2533 * 89.44 / 48)^2 = 21 for 1 %, a hundredth of it for 10 %: one run.
    REQUIRE(band.runs_needed);
    CHECK(std::fabs(static_cast<double>(*band.runs_needed) - 21) <= 6);
    CHECK(report_of(job, 0.1).front().bands.front().runs_needed == std::optional<std::uint64_t>(1));
  }

  TEST_CASE(
      "intervals of repeated experiments hold the true median and mean as often as they say") {
    int means = 0;
    int medians = 0;
    constexpr int kExperiments = 200;
    for (int e = 0; e < kExperiments; ++e) {
      const MonteCarlo job =
          done(kNoisy, 25, {}, {{"simulation.seed", std::to_string(1000 + 25 * e)}});
      const MetricBand band = report_of(job, 0.01).front().bands.front();
      const auto mean = mean_interval({band.mean, band.sd}, 25);
      if (mean->low <= kMean && kMean <= mean->high) ++means;
      if (band.median_interval->low <= kMean && kMean <= band.median_interval->high) ++medians;
    }
    // 0.95 and, of the 8th to the 18th of 25, 0.9567; four standard deviations are 12 and 11.5.
    CHECK(std::abs(means - 190) <= 12);
    CHECK(std::abs(medians - 191) <= 11);
  }

  TEST_CASE("two points face the same draws: their difference spreads as the closed form says") {
    // Backwards take twice and three times one and the same draw: the difference is a sum of 16
    // N(100, 10), 1600 and 40 ms. With draws of their own its variance would be 16 * 100 * (5 +
    // 10).
    const MonteCarlo job = done(kNoisy, 2000, {"pipeline.backward_factor=2,3"});
    const std::vector<PointReport> reports = report_of(job, 0.01);
    REQUIRE(reports.size() == 2);
    CHECK(reports[0].differences.empty());
    CHECK(reports[1].pairs == 2000);
    const MetricDifference d = reports[1].differences.front();
    CHECK(std::fabs(d.mean - 1600) < 4 * 40 / std::sqrt(2000.0));
    CHECK(d.sd == doctest::Approx(40).epsilon(4 / std::sqrt(4000.0)));
    REQUIRE(d.mean_interval);
    CHECK(d.mean_interval->high - d.mean_interval->low ==
          doctest::Approx(2 * 1.961 * d.sd / std::sqrt(2000.0)).epsilon(1e-3));
    REQUIRE(d.gain);
    CHECK(*d.gain == doctest::Approx(15).epsilon(0.2));
    CHECK(d.better == 0);
    // Throughput falls in every run, and less is worse there.
    CHECK(reports[1].differences[1].better == 0);
    CHECK(reports[1].differences[1].mean < 0);
  }

  TEST_CASE("differences by hand") {
    const MetricDifference d = difference_of({1, 2, 3, 4}, {0, 2, 5, 3}, false);
    // -1, 0, 2, -1.
    CHECK(d.mean == 0);
    CHECK(d.median == -0.5);
    CHECK(d.sd == doctest::Approx(std::sqrt(2.0)));
    CHECK(d.better == 0.5);
    CHECK(d.equal == 0.25);
    CHECK(difference_of({1, 2, 3, 4}, {0, 2, 5, 3}, true).better == 0.25);
    CHECK(!difference_of({1, 2}, {2, 3}, true).gain);
  }

  TEST_CASE("a point that cannot run says why, and is no pair") {
    const MonteCarlo job = done(kNoisy, 4, {"pipeline.schedule=1f1b,nonsense"});
    const std::vector<PointReport> reports = report_of(job, 0.01);
    CHECK(reports[1].completed == 0);
    CHECK(reports[1].failed == 4);
    CHECK(reports[1].problem.find("[reference.schedule]") != std::string::npos);
    CHECK(reports[1].differences.empty());
    CHECK(reports[0].completed == 4);
    const Json json = Json::parse(monte_carlo_json(job, 0.01));
    CHECK(json["points"][0]["metrics"]["makespan_ms"]["median"].is_number());
    CHECK(json["points"][1]["problem"].is_string());
    CHECK(json["constants_drawn"].empty());
  }

  TEST_CASE(
      "a drawn constant is the fitted one in the middle, and an end of its interval at each end") {
    const ConstantInterval interval{"x", 3, 8};
    CHECK(drawn_constant(4, interval, 0) == 4);
    CHECK(drawn_constant(4, interval, -1.6448536269514722) == doctest::Approx(3));
    CHECK(drawn_constant(4, interval, 1.6448536269514722) == doctest::Approx(8));
    CHECK(drawn_constant(4, interval, -100) == 1.5);
    // A fitted value outside moves to the other side alone.
    CHECK(drawn_constant(9, interval, 2) == 9);
    CHECK(drawn_constant(9, interval, -1.6448536269514722) == doctest::Approx(3));
  }

  TEST_CASE("deviates are standard normal, and tell constants and runs apart") {
    constexpr int kCount = 4000;
    double sum = 0;
    double squares = 0;
    double products = 0;
    int low = 0;
    for (std::uint32_t run = 0; run < kCount; ++run) {
      const double z = constant_deviate(3, "a", run);
      sum += z;
      squares += z * z;
      products += z * constant_deviate(3, "b", run);
      if (z < -1.6449) ++low;
    }
    const double error = 4 / std::sqrt(static_cast<double>(kCount));
    CHECK(std::fabs(sum / kCount) < error);
    CHECK(std::fabs(squares / kCount - 1) < std::sqrt(2.0) * error);
    CHECK(std::fabs(products / kCount) < error);
    CHECK(std::abs(low - 200) < 4 * 14);
  }

  TEST_CASE("constants of the calibration are drawn where times depend on them") {
    const MonteCarlo job = done(kLayers, 200, {"simulation.microbatches=6,7"});
    const DrawnConstants& constants = job.trials().constants();
    REQUIRE(constants.fitted != nullptr);
    CHECK(constants.fitted->name == "megatron_local");
    bool h100 = false;
    for (const ConstantInterval& i : constants.intervals) {
      h100 = h100 || i.name == "h100.host_forward_ms";
      // No L4 is here.
      CHECK(!i.name.starts_with("l4."));
    }
    CHECK(h100);
    const std::vector<PointReport> reports = report_of(job, 0.01);
    const MetricBand band = reports[0].bands.front();
    const auto fitted = simulate(kLayers);
    REQUIRE(fitted.ok());
    const double own = to_ms(fitted.value()->summary().makespan);
    CHECK(band.p5 < own);
    CHECK(own < band.p95);
    // A step of m microbatches takes about m + 1 times the same: of (7^2 + 8^2) / 1 most is left.
    REQUIRE(reports[1].differences.front().gain);
    CHECK(*reports[1].differences.front().gain > 10);
  }

  TEST_CASE("a run is the scenario with the drawn calibration") {
    const MonteCarlo job = done(kLayers, 3);
    Presets presets = load_presets();
    for (std::uint32_t run = 0; run < 3; ++run) {
      for (Calibration& c : presets.calibrations) {
        if (c.name != "megatron_local") continue;
        c = drawn_calibration(*load_presets().calibration("megatron_local"),
                              calibration_intervals("megatron_local"), 3, run);
      }
      Result<Loaded> loaded =
          load_scenario(kLayers, {{"simulation.seed", std::to_string(3 + run)}}, presets);
      REQUIRE(loaded.ok());
      Simulation simulation(std::move(loaded).value());
      while (!simulation.step(1'000'000)) {
      }
      const auto finished = simulation.finish(false);
      REQUIRE(finished.ok());
      CHECK(finished.value()->trace_hash() == job.results()[run].trace_hash);
    }
  }

  TEST_CASE("every interval is of a constant that there is, about its value") {
    for (const Calibration& c : load_presets().calibrations) {
      Calibration copy = c;
      for (const ConstantInterval& i : calibration_intervals(c.name)) {
        CAPTURE(i.name);
        bool found = false;
        for (const NamedValue& v : named_values(copy)) found = found || v.name == i.name;
        CHECK(found);
        CHECK(i.low < i.high);
        CHECK(i.low >= 0);
      }
    }
    CHECK(!calibration_intervals("megatron_local").empty());
    CHECK(calibration_intervals("nonsense").empty());
  }

  TEST_CASE("seeds as an axis, too many runs and a wrong scenario are refused") {
    MonteCarloRequest request;
    request.text = kNoisy;
    request.axes = {*parse_axis("simulation.seed=1,2")};
    CHECK(MonteCarlo::make(request).diagnostics().front().code == Code::ValueChoice);
    request.axes = {*parse_axis("simulation.microbatches=1:1001:1")};
    CHECK(MonteCarlo::make(request).diagnostics().front().code == Code::LimitOperations);
    request.axes.clear();
    request.text = "simulation: {}";
    CHECK(MonteCarlo::make(request).diagnostics().front().code == Code::KeyMissing);
  }
}
