#include "io/runs_csv.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "io/csv_table.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

std::vector<std::string> split_list(const std::string& cell) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  while (begin <= cell.size()) {
    const std::size_t end = std::min(cell.find(';', begin), cell.size());
    out.push_back(cell.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

/// By "split/fixture/pair".
using Benchmarks = std::map<std::string, std::vector<LinkSample>>;

class RunsReader {
 public:
  RunsReader(CsvTable runs, CsvTable links) : runs_(std::move(runs)), links_(std::move(links)) {}

  Result<std::vector<MeasuredRun>> read() {
    check_columns(runs_, kRunColumns, "the table of runs");
    check_columns(links_, kLinkColumns, "the link benchmark");
    if (!problems_.empty()) return problems_;
    read_links();
    std::vector<MeasuredRun> out;
    for (std::size_t row = 0; row < runs_.rows(); ++row) out.push_back(read_run(row));
    if (!problems_.empty()) return problems_;
    return out;
  }

 private:
  static constexpr std::array<std::string_view, 16> kRunColumns{
      "split",        "fixture",          "pp",        "gpu_per_stage",    "schedule_observed",
      "microbatches", "micro_batch_size", "seq_len",   "hidden_dim",       "ffn_hidden",
      "heads",        "vocab_size",       "precision", "layers_per_stage", "iterations_used",
      "link_pairs"};
  static constexpr std::array<std::string_view, 6> kLinkColumns{"split",   "fixture", "pair",
                                                                "size_mb", "rank",    "p50_ms"};

  template <class Columns>
  void check_columns(const CsvTable& table, const Columns& columns, const std::string& what) {
    for (const std::string_view column : columns) {
      if (table.has(column)) continue;
      Diagnostic d =
          error(Code::CsvColumn, "", what + " has no column \"" + std::string(column) + "\"");
      d.line = 1;
      problems_.push_back(std::move(d));
    }
  }

  double number(const std::string& text, int line, std::string_view column) {
    const ParsedNumber parsed = parse_number(text);
    if (parsed.status == NumberStatus::Ok) return parsed.value;
    Diagnostic d = error(
        Code::CsvValue, "",
        "\"" + text.substr(0, 40) + "\" in column \"" + std::string(column) + "\" is no number");
    d.line = line;
    problems_.push_back(std::move(d));
    return 0;
  }
  double number(std::size_t row, std::string_view column) {
    return number(runs_.at(row, column), runs_.line(row), column);
  }
  std::int64_t whole(std::size_t row, std::string_view column) {
    return static_cast<std::int64_t>(number(row, column));
  }
  std::vector<double> numbers(std::size_t row, std::string_view column) {
    std::vector<double> out;
    const std::string& cell = runs_.at(row, column);
    if (cell.find_first_not_of("; ") == std::string::npos) return out;
    for (const std::string& item : split_list(cell))
      out.push_back(number(item, runs_.line(row), column));
    return out;
  }

  void read_links() {
    for (std::size_t row = 0; row < links_.rows(); ++row) {
      if (links_.at(row, "rank") != "0") continue;
      const int line = links_.line(row);
      benchmarks_[links_.at(row, "split") + "/" + links_.at(row, "fixture") + "/" +
                  links_.at(row, "pair")]
          .push_back({number(links_.at(row, "size_mb"), line, "size_mb"),
                      number(links_.at(row, "p50_ms"), line, "p50_ms")});
    }
    for (auto& [pair, samples] : benchmarks_) {
      std::stable_sort(
          samples.begin(), samples.end(),
          [](const LinkSample& a, const LinkSample& b) { return a.size_MiB < b.size_MiB; });
    }
  }

  MeasuredRun read_run(std::size_t row) {
    MeasuredRun run;
    RunFacts& f = run.facts;
    f.split = runs_.at(row, "split");
    f.name = runs_.at(row, "fixture");
    f.gpus = split_list(runs_.at(row, "gpu_per_stage"));
    for (const double n : numbers(row, "layers_per_stage"))
      f.layers.push_back(static_cast<std::int64_t>(n));
    // One microbatch has only one order.
    f.schedule = runs_.at(row, "schedule_observed") == "gpipe" ? "gpipe" : "1f1b";
    f.microbatches = whole(row, "microbatches");
    f.micro_batch_size = whole(row, "micro_batch_size");
    f.seq_len = whole(row, "seq_len");
    f.hidden_dim = whole(row, "hidden_dim");
    f.ffn_dim = whole(row, "ffn_hidden");
    f.heads = whole(row, "heads");
    f.vocab_size = whole(row, "vocab_size");
    f.precision = runs_.at(row, "precision");
    f.iterations = whole(row, "iterations_used");
    const std::size_t stages = f.gpus.size();
    if (f.layers.size() != stages || static_cast<std::size_t>(whole(row, "pp")) != stages)
      wrong(row, "pp, gpu_per_stage and layers_per_stage do not agree");
    if (stages > 1) read_pairs(row, f);
    read_figures(row, run.figures);
    return run;
  }

  void read_pairs(std::size_t row, RunFacts& f) {
    for (const std::string& pair : split_list(runs_.at(row, "link_pairs"))) {
      const auto found = benchmarks_.find(f.split + "/" + f.name + "/" + pair);
      if (found == benchmarks_.end()) {
        wrong(row, "no benchmark of the link " + pair);
        return;
      }
      f.links.push_back(found->second);
    }
    if (f.links.size() + 1 != f.gpus.size()) wrong(row, "link_pairs does not name every pair");
  }

  void read_figures(std::size_t row, RunFigures& m) {
    if (!runs_.has("iteration_period_median_ms")) return;
    m.period_median_ms = number(row, "iteration_period_median_ms");
    m.microbatches_per_s = number(row, "throughput_mb_per_s");
    m.bubble = number(row, "bubble_ratio");
    m.utilization = numbers(row, "util_per_stage");
    m.forward_ms = numbers(row, "fwd_mean_ms_per_stage");
    m.backward_ms = numbers(row, "bwd_mean_ms_per_stage");
    m.forward_median_ms = numbers(row, "fwd_median_ms_per_stage");
    m.backward_median_ms = numbers(row, "bwd_median_ms_per_stage");
    m.update_ms = numbers(row, "opt_mean_ms_per_stage");
  }

  void wrong(std::size_t row, std::string message) {
    Diagnostic d = error(Code::CsvValue, "", std::move(message));
    d.line = runs_.line(row);
    problems_.push_back(std::move(d));
  }

  CsvTable runs_;
  CsvTable links_;
  Benchmarks benchmarks_;
  Diagnostics problems_;
};

}  // namespace

Result<std::vector<MeasuredRun>> read_runs(std::string_view runs_csv, std::string_view links_csv) {
  Result<CsvTable> runs = CsvTable::parse(runs_csv);
  if (!runs) return runs.diagnostics();
  Result<CsvTable> links = CsvTable::parse(links_csv);
  if (!links) return links.diagnostics();
  return RunsReader(std::move(runs).value(), std::move(links).value()).read();
}

}  // namespace sluice
