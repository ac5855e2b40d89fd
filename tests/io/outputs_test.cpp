// What is written of a run: trace CSV, Chrome trace, SVG sheets and summary JSON.
#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "io/json.hpp"
#include "io/svg.hpp"
#include "io/texts.hpp"
#include "io/xml_check.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

// One microbatch over two stages of 10 ms forward, 20 ms backward, joined by links of 1 ms.
std::string tiny() {
  return changed(kGood, {{"microbatches: 4", "microbatches: 1\n  transfers: latency"},
                         {"interconnect: {same_node: nvlink3}",
                          "links: [{default: true, bandwidth_GBps: 1, latency_us: 1000}]"}});
}

std::shared_ptr<const Run> run_of(std::string_view text,
                                  const std::vector<Setting>& settings = {}) {
  const Result<std::shared_ptr<const Run>> run = simulate(text, settings);
  REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : listing(run.diagnostics())));
  return run.value();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string first_columns(const std::string& line, int count) {
  std::size_t end = 0;
  for (int i = 0; i < count; ++i) end = line.find(',', end) + 1;
  return line.substr(0, end - 1);
}

std::string failing() {
  return read_text(source_path("examples/failures.yaml"));
}

const std::string kHostile = "</text><script>alert(\"x\")&'";
std::string hostile() {
  const std::string quoted = "\"</text><script>alert(\\\"x\\\")&'\"";
  return "# title: <b>\"&amp;'\xEF\xBF\xBF</b>\n" +
         changed(kGood, {{"device: a", "device: " + quoted},
                         {"{id: a,", "{id: " + quoted + ","},
                         {"{id: b,", "{id: 'b,\"c\"',"},
                         {"device: b", "device: 'b,\"c\"'"}});
}

}  // namespace

TEST_SUITE("io/outputs") {
  TEST_CASE("the trace as CSV has the columns of HOPS first, and exact times") {
    const std::vector<std::string> lines = lines_of(run_of(tiny())->trace_csv());
    REQUIRE(lines.size() == 7);
    CHECK(lines[0] ==
          "event_type,phase,stage_id,microbatch_id,device_id,src_device,dst_device,start_time_ms,"
          "end_time_ms,duration_ms,target_id,recovery_time_ms,batch,pipeline,slice,bytes,"
          "version_forward,version_backward,outcome");
    const std::vector<std::string> expected{
        "compute,FORWARD,0,0,a,,,0.0,10.0,10.0,,",   "compute,FORWARD,1,0,b,,,11.0,21.0,10.0,,",
        "compute,BACKWARD,1,0,b,,,21.0,41.0,20.0,,", "compute,BACKWARD,0,0,a,,,42.0,62.0,20.0,,",
        "transfer,FORWARD,,0,,a,b,10.0,11.0,1.0,,",  "transfer,BACKWARD,,0,,b,a,41.0,42.0,1.0,,"};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(first_columns(lines[i + 1], 12) == expected[i]);
    }
  }

  TEST_CASE("times in CSV are picoseconds, without loss and without needless zeros") {
    const std::string text =
        changed(tiny(), {{"distribution: 10", "distribution: 0.000000001"},
                         {"distribution: 10", "distribution: 1234567.000000001"}});
    const std::vector<std::string> lines = lines_of(run_of(text)->trace_csv());
    CHECK(first_columns(lines[1], 10) == "compute,FORWARD,0,0,a,,,0.0,0.000000001,0.000000001");
    CHECK(first_columns(lines[2], 10) ==
          "compute,FORWARD,1,0,b,,,1.000000001,1234568.000000002,1234567.000000001");
  }

  TEST_CASE("rows of the CSV are computes by completion, then transfers, then failures") {
    const std::vector<std::string> lines = lines_of(run_of(failing())->trace_csv());
    const std::vector<std::string> groups{"compute", "transfer", "failure"};
    std::size_t group = 0;
    double last_end = 0;
    std::set<std::string> seen;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      std::vector<std::string> fields;
      std::istringstream stream(lines[i]);
      for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
      REQUIRE(fields.size() == 19);
      while (group < 3 && fields[0] != groups[group]) {
        ++group;
        last_end = 0;
      }
      REQUIRE(group < 3);
      seen.insert(fields[0]);
      const double end = std::stod(fields[8]);
      CHECK(end >= last_end);
      last_end = end;
      if (fields[0] == "failure") {
        // 300 ms each, from a check at a multiple of 250 ms.
        CHECK(fields[9] == "300.0");
        CHECK(fields[11] == fields[8]);
        CHECK(!fields[10].empty());
      }
    }
    CHECK(seen.size() == 3);
  }

  TEST_CASE("names with commas and quotes are one CSV field") {
    const std::string csv = run_of(hostile())->trace_csv();
    CHECK(csv.find(",\"b,\"\"c\"\"\",") != std::string::npos);
    const std::string broken = changed(
        kGood, {{"{id: b,", "{id: 'b,c',"},
                {"device: b", "device: 'b,c'"},
                {"seed: 1", "seed: 1\n  batches: 50"},
                {"",
                 "failure: {enabled: true, check_interval_ms: 20, device_failure_probability: 0.1, "
                 "link_failure_probability: 0.2, recovery_time_ms: 1}\n"}});
    for (const std::string& line : lines_of(run_of(broken)->trace_csv())) {
      std::size_t commas = 0;
      bool inside = false;
      for (const char c : line) {
        if (c == '"') inside = !inside;
        if (c == ',' && !inside) ++commas;
      }
      CHECK_MESSAGE(commas == 18, line);
    }
  }

  TEST_CASE(
      "the Chrome trace is JSON with one slice a row and flows that begin and end in slices") {
    for (const std::string& text : {tiny(), std::string(kGood), failing(), hostile(),
                                    read_text(source_path("examples/optimizer_ring.yaml"))}) {
      const auto run = run_of(text);
      const Json json = Json::parse(run->chrome_trace(), nullptr, false);
      REQUIRE(!json.is_discarded());
      std::size_t slices = 0;
      std::map<std::int64_t, int> began;
      std::map<std::int64_t, int> ended;
      // (pid, tid, time) at which slices begin and end.
      std::set<std::string> begins;
      std::set<std::string> ends;
      const auto key = [](const Json& e, double time) {
        std::ostringstream out;
        out << e["pid"] << "/" << e["tid"] << "/" << static_cast<std::int64_t>(time * 1e6 + 0.5);
        return out.str();
      };
      for (const Json& e : json["traceEvents"]) {
        if (e["ph"] != "X") continue;
        ++slices;
        const double start = e["ts"].get<double>();
        begins.insert(key(e, start));
        ends.insert(key(e, start + e["dur"].get<double>()));
      }
      CHECK(slices == run->trace().rows());
      for (const Json& e : json["traceEvents"]) {
        if (e["ph"] == "s") {
          ++began[e["id"].get<std::int64_t>()];
          CHECK(ends.contains(key(e, e["ts"].get<double>())));
        } else if (e["ph"] == "f") {
          ++ended[e["id"].get<std::int64_t>()];
          CHECK(begins.contains(key(e, e["ts"].get<double>())));
          CHECK(e["bp"] == "e");
        }
      }
      CHECK(began == ended);
      CHECK(!began.empty());
      for (const auto& pair : began) CHECK(pair.second == 1);
    }
  }

  TEST_CASE("SVG sheets of every example are well-formed XML") {
    for (const std::string& file : example_files()) {
      CAPTURE(file);
      const auto run = run_of(read_text(source_path(file)));
      CHECK(xml_problem(run->timeline_svg()) == "");
      CHECK(xml_problem(run->dashboard_svg()) == "");
    }
  }

  TEST_CASE("hostile names are text in SVG, JSON and the Chrome trace") {
    const auto run = run_of(hostile());
    for (const std::string& svg : {run->timeline_svg(), run->dashboard_svg()}) {
      CHECK(xml_problem(svg) == "");
      CHECK(svg.find("<script") == std::string::npos);
      CHECK(svg.find("<b>") == std::string::npos);
      CHECK(svg.find("\xEF\xBF\xBF") == std::string::npos);
      CHECK(svg.find("&lt;script&gt;") != std::string::npos);
    }
    const Json summary = Json::parse(run->summary_json(), nullptr, false);
    REQUIRE(!summary.is_discarded());
    CHECK(summary["utilization"]["per_device"].contains(kHostile));
    CHECK(!Json::parse(run->chrome_trace(), nullptr, false).is_discarded());
    CHECK(!Json::parse(run->plan_json(), nullptr, false).is_discarded());
  }

  TEST_CASE("the size of a timeline is bounded by its pixels, not by the operations") {
    // 2 stages x 25,000 microbatches x 2: 100,000 operations.
    const auto run = run_of(kGood, {{"simulation.microbatches", "25000"}});
    CHECK(run->trace().rows() >= 100'000);
    const std::string svg = run->timeline_svg();
    CHECK(xml_problem(svg) == "");
    // 4 lanes of 1,200 pixels, at most four slices a pixel, each about a hundred bytes.
    CHECK(svg.size() < 4U * 1200U * 4U * 120U);
    CHECK(run->dashboard_svg().size() < 20'000);
  }

  TEST_CASE("any view of a timeline is drawn, sensible or not") {
    const auto run = run_of(kGood);
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::pair<double, double>> views{
        {0, 0},      {10, 20}, {20, 10}, {-5, 5},          {0, 1e300},       {1e300, inf},
        {-inf, inf}, {nan, 1}, {0, nan}, {10, 10 + 1e-12}, {8e9, 8e9 + 2e-6}};
    for (const auto& range : views) {
      SvgView view;
      view.title = "part";
      view.from_ms = range.first;
      view.to_ms = range.second;
      const std::string svg = timeline_svg(run->program(), run->summary(), run->trace(), view);
      CHECK(xml_problem(svg) == "");
      CHECK(svg.find("nan") == std::string::npos);
      CHECK(svg.find("inf") == std::string::npos);
    }
  }

  TEST_CASE("the summary has every field of HOPS under its name") {
    for (const std::string& file : example_files()) {
      CAPTURE(file);
      const Json s =
          Json::parse(run_of(read_text(source_path(file)))->summary_json(), nullptr, false);
      REQUIRE(!s.is_discarded());
      for (const char* pointer : {"/completed_microbatches",
                                  "/throughput/per_ms",
                                  "/throughput/per_s",
                                  "/latency_ms/p50_ms",
                                  "/latency_ms/p99_ms",
                                  "/latency_ms/mean_ms",
                                  "/time_ms/makespan_ms",
                                  "/time_ms/trace_duration_ms",
                                  "/time_ms/compute_ms",
                                  "/time_ms/transfer_ms",
                                  "/time_ms/communication_overhead_ratio",
                                  "/bubble_ratio",
                                  "/utilization/per_stage",
                                  "/utilization/per_device",
                                  "/utilization/per_link",
                                  "/optimizer/allreduce_time_ms",
                                  "/optimizer/weight_update_time_ms",
                                  "/failures/count",
                                  "/failures/total_downtime_ms",
                                  "/failures/lost_work_ms",
                                  "/memory/peak_per_device_mb",
                                  "/contention/global_peak_concurrency",
                                  "/contention/global_contended_transfer_fraction",
                                  "/contention/per_link",
                                  "/peak_in_flight_per_stage",
                                  "/phase_breakdown/0/stage",
                                  "/phase_breakdown/0/phase",
                                  "/phase_breakdown/0/total_ms",
                                  "/phase_breakdown/0/count"}) {
        CHECK_MESSAGE(s.contains(Json::json_pointer(pointer)), pointer);
      }
      for (const char* key : {"schema_version", "engine_version", "scenario_hash", "trace_hash",
                              "physics", "schedule", "bubble", "fits", "diagnostics"}) {
        CHECK_MESSAGE(s.contains(key), key);
      }
    }
  }

  TEST_CASE("the summary says what follows by hand from two stages and one microbatch") {
    const Json s = Json::parse(run_of(tiny())->summary_json());
    CHECK(s["completed_microbatches"] == 1);
    CHECK(s["time_ms"]["makespan_ms"] == 62.0);
    CHECK(s["time_ms"]["compute_ms"] == 60.0);
    CHECK(s["time_ms"]["transfer_ms"] == 2.0);
    CHECK(s["latency_ms"]["p50_ms"] == 62.0);
    // Each of two stages works 30 of 62 ms.
    CHECK(s["utilization"]["per_stage"]["0"].get<double>() == doctest::Approx(30.0 / 62));
    CHECK(s["bubble_ratio"].get<double>() == doctest::Approx(32.0 / 62));
    CHECK(s["utilization"]["per_link"]["a->b"].get<double>() == doctest::Approx(1.0 / 62));
    CHECK(s["throughput"]["per_ms"].get<double>() == doctest::Approx(1.0 / 62));
    CHECK(s["scenario_hash"].get<std::string>().size() == 16);
  }

  TEST_CASE("idle time by cause, the critical path and the longest gaps, as JSON") {
    // F 0-10, 11-21; B 21-41, 42-62.
    const Json s = Json::parse(run_of(tiny())->summary_json());
    const Json& ranks = s["idle_ms"]["per_rank"];
    REQUIRE(ranks.size() == 2);
    REQUIRE(ranks[0].size() == 11);
    CHECK(ranks[0]["dependency"] == 30.0);
    CHECK(ranks[0]["link_latency"] == 2.0);
    CHECK(ranks[1]["warm_up"] == 10.0);
    CHECK(ranks[1]["link_latency"] == 2.0);
    CHECK(ranks[1]["drain"] == 20.0);
    CHECK(s["busy_ms"]["per_rank"] ==
          Json::parse(R"([{"F": 10.0, "B": 20.0}, {"F": 10.0, "B": 20.0}])"));
    CHECK(s["critical_path"]["compute_ms"] == 60.0);
    CHECK(s["critical_path"]["communication_ms"] == 2.0);
    CHECK(s["critical_path"]["wait_ms"] == 0.0);
    CHECK(s["critical_path"]["top"][0]["kind"] == "B");
    CHECK(s["critical_path"]["top"][0]["rank"] == 0);
    CHECK(s["critical_path"]["top"][0]["share"].get<double>() == doctest::Approx(20.0 / 62));
    CHECK(s["critical_path"]["least_slack_ms"] == Json({0.0, 0.0}));
    REQUIRE(s["top_gaps"].size() == 3);
    const Json& gap = s["top_gaps"][0];
    CHECK(gap["device"] == "a");
    CHECK(gap["start_ms"] == 10.0);
    CHECK(gap["idle_ms"] == 32.0);
    CHECK(gap["next"] == "B0@0");
    CHECK(gap["causes_ms"] == Json::parse(R"({"dependency": 30.0, "link_latency": 2.0})"));
    CHECK(gap["chain_steps"] == 4);
    REQUIRE(gap["chain"].size() == 4);
    CHECK(gap["chain"][0]["what"] == "gradient 0@1");
    CHECK(gap["chain"][0]["where"] == "b->a");
    CHECK(gap["chain"][3]["what"] == "activation 0@0");
    CHECK(gap["chain"][3]["cause"] == "link_latency");
    CHECK(gap["could_run"].empty());
  }

  TEST_CASE("every gap as CSV, exact, with its chain") {
    const std::vector<std::string> lines = lines_of(run_of(tiny())->gaps_csv());
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] ==
          "rank,device,start_ms,end_ms,idle_ms,next,batch,warm_up_ms,drain_ms,dependency_ms,"
          "link_busy_ms,link_latency_ms,memory_ms,order_ms,straggler_ms,failure_ms,optimizer_ms,"
          "barrier_ms,chain,could_run");
    CHECK(lines[1] ==
          "1,b,0.0,11.0,11.0,F0@1,0,10.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,0.0,0.0,"
          "link_latency 1.0 activation 0@0 on a->b < warm_up 10.0 F0@0 on a,");
    CHECK(lines[2] ==
          "0,a,10.0,42.0,32.0,B0@0,0,0.0,0.0,30.0,0.0,2.0,0.0,0.0,0.0,0.0,0.0,0.0,"
          "link_latency 1.0 gradient 0@1 on b->a < dependency 20.0 B0@1 on b < dependency 10.0 "
          "F0@1 on b < link_latency 1.0 activation 0@0 on a->b,");
    CHECK(lines[3] ==
          "1,b,41.0,62.0,21.0,,,0.0,20.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,0.0,0.0,"
          "drain 20.0 B0@0 on a < link_latency 1.0 gradient 0@1 on b->a,");
  }

  TEST_CASE("the summary is bounded by ranks and links, not by operations") {
    // From 50 microbatches on there are twenty gaps to tell of.
    const auto size = [](const char* microbatches) {
      return run_of(kGood, {{"simulation.microbatches", microbatches}})->summary_json().size();
    };
    CHECK(size("4") < size("50"));
    CHECK(size("5000") < size("50") + 200);
  }

  TEST_CASE("text that is not UTF-8 becomes valid JSON all the same") {
    const std::string text = json_text(Json{{"id", "a\xFF\xC3"}});
    CHECK(text == "{\"id\":\"a\xEF\xBF\xBD\xEF\xBF\xBD\"}");
  }
}
