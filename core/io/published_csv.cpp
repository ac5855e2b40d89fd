#include "io/published_csv.hpp"

#include <array>
#include <string>
#include <utility>

#include "io/csv_table.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

constexpr std::string_view kBarrier = " with step barrier";

class PublishedReader {
 public:
  PublishedReader(CsvTable models, CsvTable measured)
      : models_(std::move(models)), measured_(std::move(measured)) {}

  Result<std::vector<PublishedRun>> read() {
    check_columns(models_, kModelColumns, "the table of models");
    check_columns(measured_, kMeasuredColumns, "the table of measurements");
    if (!problems_.empty()) return problems_;
    std::vector<PublishedRun> out;
    for (std::size_t row = 0; row < measured_.rows(); ++row) out.push_back(read_run(row));
    if (!problems_.empty()) return problems_;
    return out;
  }

 private:
  static constexpr std::array<std::string_view, 5> kModelColumns{"model", "layers", "heads",
                                                                 "hidden_dim", "seq_len"};
  static constexpr std::array<std::string_view, 7> kMeasuredColumns{
      "model",    "stages", "microbatches", "micro_batch_size", "schedule", "samples_per_gpu_per_s",
      "memory_gb"};

  template <class Columns>
  void check_columns(const CsvTable& table, const Columns& columns, const std::string& what) {
    for (const std::string_view column : columns) {
      if (!table.has(column))
        problem(Code::CsvColumn, 1, what + " has no column \"" + std::string(column) + "\"");
    }
  }

  double number(const CsvTable& table, std::size_t row, std::string_view column) {
    const std::string& text = table.at(row, column);
    const ParsedNumber parsed = parse_number(text);
    if (parsed.status == NumberStatus::Ok && parsed.value > 0) return parsed.value;
    problem(Code::CsvValue, table.line(row),
            "\"" + text.substr(0, 40) + "\" in column \"" + std::string(column) +
                "\" is no number above 0");
    return 1;
  }
  std::int64_t whole(const CsvTable& table, std::size_t row, std::string_view column) {
    return static_cast<std::int64_t>(number(table, row, column));
  }

  PublishedRun read_run(std::size_t row) {
    PublishedRun run;
    PublishedFacts& f = run.facts;
    f.model = measured_.at(row, "model");
    f.stages = whole(measured_, row, "stages");
    f.microbatches = whole(measured_, row, "microbatches");
    f.micro_batch_size = whole(measured_, row, "micro_batch_size");
    f.schedule = measured_.at(row, "schedule");
    if (f.schedule.ends_with(kBarrier)) {
      f.schedule.resize(f.schedule.size() - kBarrier.size());
      f.step_barrier = true;
    }
    bool known = false;
    for (std::size_t m = 0; m < models_.rows() && !known; ++m) {
      if (models_.at(m, "model") != f.model) continue;
      known = true;
      f.layers = whole(models_, m, "layers");
      f.heads = whole(models_, m, "heads");
      f.hidden_dim = whole(models_, m, "hidden_dim");
      f.seq_len = whole(models_, m, "seq_len");
    }
    if (!known)
      problem(Code::CsvValue, measured_.line(row),
              "the table of models has no \"" + f.model.substr(0, 40) + "\"");
    run.figures.samples_per_gpu_per_s = number(measured_, row, "samples_per_gpu_per_s");
    if (!measured_.at(row, "memory_gb").empty())
      run.figures.memory_GB = number(measured_, row, "memory_gb");
    return run;
  }

  void problem(Code code, int line, std::string message) {
    Diagnostic d = error(code, "", std::move(message));
    d.line = line;
    problems_.push_back(std::move(d));
  }

  CsvTable models_;
  CsvTable measured_;
  Diagnostics problems_;
};

}  // namespace

Result<std::vector<PublishedRun>> read_published(std::string_view models_csv,
                                                 std::string_view measured_csv) {
  Result<CsvTable> models = CsvTable::parse(models_csv);
  if (!models) return models.diagnostics();
  Result<CsvTable> measured = CsvTable::parse(measured_csv);
  if (!measured) return measured.diagnostics();
  return PublishedReader(std::move(models).value(), std::move(measured).value()).read();
}

}  // namespace sluice
