#include "api/sweep.hpp"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "api/run.hpp"
#include "io/json.hpp"
#include "io/number.hpp"
#include "trace/trace.hpp"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 9> kMetrics{
    "makespan_ms",           "throughput_per_s",  "bubble_idle_over_makespan",
    "bubble_idle_over_work", "bubble_span",       "latency_p50_ms",
    "latency_p99_ms",        "peak_memory_bytes", "fits"};

std::vector<double> metrics_of(const Summary& s) {
  std::int64_t peak = 0;
  for (std::size_t d = 0; d < s.peak_memory.size(); ++d) {
    if (s.holds_stages[d]) peak = std::max(peak, s.peak_memory[d].value);
  }
  return {to_ms(s.makespan),
          s.throughput_per_ms * 1000,
          s.bubble.idle_over_makespan,
          s.bubble.idle_over_work,
          s.bubble.span,
          s.latency_p50_ms,
          s.latency_p99_ms,
          static_cast<double>(peak),
          s.fits ? 1.0 : 0.0};
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    out += c == '\n' ? ' ' : c;
    if (c == '"') out += '"';
  }
  return out + "\"";
}

// Three numbers between colons: the values of the range; no values when it is an impossible one.
// Nothing when the text is something else.
std::optional<std::vector<std::string>> range_values(const std::string& text) {
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  const ParsedNumber low = parse_number(text.substr(0, first));
  const ParsedNumber high = parse_number(text.substr(first + 1, second - first - 1));
  const ParsedNumber step = parse_number(text.substr(second + 1));
  for (const ParsedNumber* n : {&low, &high, &step}) {
    if (n->status != NumberStatus::Ok) return std::nullopt;
  }
  if (!(step.value > 0) || high.value < low.value) return std::vector<std::string>{};
  // A hair of slack, so that 0:1:0.1 includes 1.
  const double count = std::floor((high.value - low.value) / step.value * (1 + 1e-12) + 1e-9) + 1;
  std::vector<std::string> values;
  if (!(count <= static_cast<double>(kMaxSweepPoints))) return values;
  for (double i = 0; i < count; ++i) {
    // The value that was meant, not its rounding: 15 significant digits.
    values.push_back(number_text(parse_number(short_text(low.value + i * step.value, 15)).value));
  }
  return values;
}

// Commas separate values unless they stand inside brackets or quotes.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      values.emplace_back();
      continue;
    }
    values.back() += c;
  }
  return values;
}

}  // namespace

std::optional<Axis> parse_axis(const std::string& text) {
  const std::size_t cut = text.find('=');
  if (cut == std::string::npos || cut == 0 || cut + 1 == text.size()) return std::nullopt;
  Axis axis;
  axis.path = text.substr(0, cut);
  const std::string values = text.substr(cut + 1);
  if (auto range = range_values(values)) {
    axis.values = *std::move(range);
  } else {
    axis.values = split_values(values);
  }
  if (axis.values.empty() || axis.values.size() > kMaxSweepPoints) return std::nullopt;
  for (const std::string& v : axis.values) {
    if (v.empty()) return std::nullopt;
  }
  return axis;
}

Result<Sweep> Sweep::make(SweepRequest request) {
  Result<Loaded> loaded = load_scenario(request.text, request.settings);
  if (!loaded) return loaded.diagnostics();
  Sweep sweep(std::move(request));
  sweep.seed_ = loaded.value().scenario.simulation.seed;
  sweep.total_ = static_cast<std::uint64_t>(sweep.request_.seeds);
  for (const Axis& axis : sweep.request_.axes) {
    if (axis.values.empty())
      return error(Code::ValueEmpty, axis.path, "no values for \"" + axis.path + "\"");
    if (sweep.total_ > kMaxSweepPoints / axis.values.size()) {
      return error(Code::LimitOperations, axis.path,
                   "more than " + std::to_string(kMaxSweepPoints) + " points");
    }
    sweep.total_ *= axis.values.size();
  }
  sweep.csv_ = "# sluice sweep " + hash_text_of(loaded.value().scenario_hash) + "\nindex";
  for (const Axis& axis : sweep.request_.axes) sweep.csv_ += "," + csv_field(axis.path);
  sweep.csv_ += ",seed";
  for (const std::string_view m : kMetrics) sweep.csv_ += "," + std::string(m);
  sweep.csv_ += ",trace_hash,problem\n";
  return sweep;
}

bool Sweep::step(std::uint64_t runs) {
  for (std::uint64_t i = 0; i < runs && done_ < total_; ++i) run_point(done_++);
  return done_ == total_;
}

void Sweep::run_point(std::uint64_t index) {
  const auto seeds = static_cast<std::uint64_t>(request_.seeds);
  const std::uint64_t seed = seed_ + index % seeds;
  std::vector<Setting> settings = request_.settings;
  std::vector<std::string> coordinates(request_.axes.size());
  std::uint64_t rest = index / seeds;
  for (std::size_t a = request_.axes.size(); a-- > 0;) {
    const Axis& axis = request_.axes[a];
    coordinates[a] = axis.values[rest % axis.values.size()];
    rest /= axis.values.size();
  }
  for (std::size_t a = 0; a < request_.axes.size(); ++a)
    settings.push_back({request_.axes[a].path, coordinates[a]});
  // An axis over the seed itself is left alone.
  bool own_seed = false;
  for (const Axis& axis : request_.axes) own_seed = own_seed || axis.path == "simulation.seed";
  if (!own_seed) settings.push_back({"simulation.seed", std::to_string(seed)});

  Row row;
  row.coordinates = coordinates;
  std::string hash;
  Result<std::shared_ptr<const Run>> result = simulate(request_.text, settings);
  if (result) {
    row.metrics = metrics_of(result.value()->summary());
    hash = hash_text_of(result.value()->trace_hash());
  } else {
    ++failed_;
    const Diagnostic& first = result.diagnostics().front();
    row.problem = first.message + " [" + std::string(code_text(first.code)) + "]";
  }
  csv_ += std::to_string(index);
  for (const std::string& c : coordinates) csv_ += "," + csv_field(c);
  csv_ += "," + (own_seed ? std::string() : std::to_string(seed));
  for (std::size_t m = 0; m < kMetrics.size(); ++m)
    csv_ += "," + (row.metrics.empty() ? "" : number_text(row.metrics[m]));
  csv_ += "," + hash + "," + csv_field(row.problem) + "\n";
  rows_.push_back(std::move(row));
}

std::string Sweep::json() const {
  Json list = Json::array();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    Json point{{"index", i}};
    Json over = Json::object();
    for (std::size_t a = 0; a < row.coordinates.size(); ++a)
      over[request_.axes[a].path] = row.coordinates[a];
    point["over"] = over;
    for (std::size_t m = 0; m < row.metrics.size(); ++m)
      point[std::string(kMetrics[m])] = row.metrics[m];
    if (!row.problem.empty()) point["problem"] = row.problem;
    list.push_back(point);
  }
  return json_text(list);
}

}  // namespace sluice
