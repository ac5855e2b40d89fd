// Published runs of whole models on A100, predicted from shape, device, schedule and microbatches.
// Source of the figures: Qi et al., arXiv 2401.10241, tables 4, 6, 10 and 12.
#include "measure/published.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/calibrate_published.hpp"
#include "api/validate_published.hpp"
#include "files.hpp"
#include "io/presets.hpp"
#include "io/published_csv.hpp"
#include "support.hpp"

using namespace sluice;

namespace {

std::string data(const std::string& name) {
  return sluice_test::read_text(sluice_test::source_path("tests/data/zero_bubble/" + name));
}

std::vector<PublishedRun> all_runs() {
  auto runs = read_published(data("models.csv"), data("measured.csv"));
  REQUIRE(runs.ok());
  return runs.value();
}

PublishedValidation validated(const std::vector<PublishedRun>& runs) {
  auto done = validate_published(runs, load_presets());
  if (!done.ok()) FAIL(done.diagnostics().front().message);
  return done.value();
}

}  // namespace

TEST_SUITE("measure/published") {
  TEST_CASE("1F1B, interleaved, ZB-1p, ZB-2p and ZB-V on up to 24 GPUs, as the preset has them") {
    const PublishedValidation v = validated(all_runs());
    CHECK(v.rows.size() == 47);
    CHECK(v.throughput_mape_pct <= 6);
    CHECK(v.ratio_to_1f1b_mape_pct <= 3);
    CHECK(v.memory_mape_pct <= 8);
  }
  TEST_CASE("each model, with constants fitted on the other") {
    const bool full = sluice_test::full_run() && !sluice_test::kSlowBuild;
    if (!full) return;
    const auto held_out = cross_validate_published(all_runs(), load_presets(), 20);
    REQUIRE(held_out.ok());
    const PublishedValidation& v = held_out.value();
    CHECK(v.rows.size() == 47);
    CHECK(v.throughput_mape_pct <= 6);
    CHECK(v.ratio_to_1f1b_mape_pct <= 3);
    CHECK(v.memory_mape_pct <= 8);
    for (const char* model : {"1.5B", "14.6B"}) {
      std::vector<ComparedPublished> rows;
      for (const ComparedPublished& row : v.rows) {
        if (row.run.facts.model == model) rows.push_back(row);
      }
      const PublishedValidation one = validate_published(std::move(rows));
      CAPTURE(model);
      CHECK(one.throughput_mape_pct <= 6);
      CHECK(one.ratio_to_1f1b_mape_pct <= 3);
    }
  }
  TEST_CASE("no measured figure enters a prediction") {
    std::vector<PublishedRun> runs = all_runs();
    runs.resize(6);
    const PublishedValidation before = validated(runs);
    for (PublishedRun& run : runs) {
      run.figures.samples_per_gpu_per_s *= 3;
      run.figures.memory_GB = 1;
    }
    const PublishedValidation after = validated(runs);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      CHECK(before.rows[i].predicted.samples_per_gpu_per_s ==
            after.rows[i].predicted.samples_per_gpu_per_s);
      CHECK(before.rows[i].predicted.memory_GB == after.rows[i].predicted.memory_GB);
    }
  }
  TEST_CASE("the scenario holds every layer, one fewer at the ends") {
    PublishedFacts f{.model = "m",
                     .layers = 22,
                     .heads = 24,
                     .hidden_dim = 2304,
                     .seq_len = 1024,
                     .stages = 8,
                     .microbatches = 24,
                     .micro_batch_size = 6,
                     .schedule = "1f1b"};
    CHECK(scenario_of(f).find("partition: [2, 3, 3, 3, 3, 3, 3, 2]") != std::string::npos);
    f.schedule = "interleaved_1f1b";
    CHECK(
        scenario_of(f).find("partition: [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                            "1, 1, 1, 1, 0]") != std::string::npos);
    // Split-backward runs do not wait between steps, unless the table says so.
    f.schedule = "zb_2p";
    CHECK(scenario_of(f).find("step_barrier: false") != std::string::npos);
    f.step_barrier = true;
    CHECK(scenario_of(f).find("step_barrier: true") != std::string::npos);
  }
  TEST_CASE("errors by hand: throughput, the ratio to 1F1B, memory") {
    const auto row = [](const char* schedule, double measured, double predicted, double memory) {
      ComparedPublished r;
      r.run.facts.model = "m";
      r.run.facts.schedule = schedule;
      r.run.figures = {measured, 10.0};
      r.predicted = {predicted, memory};
      return r;
    };
    const PublishedValidation v =
        validate_published({row("1f1b", 10, 11, 9), row("zb_2p", 12, 12, 12)});
    CHECK(v.throughput_mape_pct == doctest::Approx(5));
    CHECK(v.memory_mape_pct == doctest::Approx(15));
    // 12/11 against 12/10: 10/11 - 1.
    CHECK(v.ratio_to_1f1b_mape_pct == doctest::Approx(100.0 / 11));
    CHECK_FALSE(v.rows[0].ratio_error_pct.has_value());
  }
  TEST_CASE("broken tables are refused with their line") {
    const auto refusal = [](const std::string& models, const std::string& measured) {
      const auto read = read_published(models, measured);
      REQUIRE_FALSE(read.ok());
      return read.diagnostics().front();
    };
    const std::string models = data("models.csv");
    const std::string measured = data("measured.csv");
    CHECK(refusal("model,layers\nm,2\n", measured).code == Code::CsvColumn);
    std::string text = measured;
    text.replace(text.find("\n1.5B,8,8,24"), 12, "\n1.5B,8,8,-3");
    CHECK(refusal(models, text).code == Code::CsvValue);
    CHECK(refusal(models, text).line == 2);
    text = measured;
    text.replace(text.find("\n1.5B"), 5, "\n9.9B");
    CHECK(refusal(models, text).message == "the table of models has no \"9.9B\"");
  }
}
