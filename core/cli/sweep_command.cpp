// sluice sweep: one run a point of a grid, one CSV row a run.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>

#include "api/pareto.hpp"
#include "api/sweep_files.hpp"
#include "api/sweep_points.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/threads.hpp"

namespace sluice::cli {
namespace {

constexpr const char* kUsageText =
    "usage: sluice sweep FILE --over path=a,b,c|lo:hi:step ... [--seeds N] [--set path=value]...\n"
    "       [--csv F [--resume]] [--shard i/N] [--threads N] [--pareto COLUMN,COLUMN...]\n";

// "i/N" with 1 <= i <= N; nothing for anything else.
std::optional<Shard> parse_shard(const std::string& text) {
  const std::size_t cut = text.find('/');
  if (cut == std::string::npos) return std::nullopt;
  constexpr auto kMost = static_cast<std::int64_t>(kMaxSweepPoints);
  Arguments halves;
  halves.flags = {{"i", text.substr(0, cut)}, {"N", text.substr(cut + 1)}};
  const auto of = halves.whole("N", 1, kMost);
  const auto number = halves.whole("i", 1, of.value_or(1));
  if (!of || !number) return std::nullopt;
  return Shard{static_cast<std::uint64_t>(*number), static_cast<std::uint64_t>(*of), true};
}

struct Options {
  SweepRequest request;
  Shard shard;
  std::optional<std::string> csv;
  bool resume = false;
  int threads = 1;
  std::string pareto;
};

// Sets `problem` of the arguments when they do not fit together.
Options options_of(Arguments& args) {
  Options out;
  const auto seeds = args.whole("--seeds", 1, static_cast<std::int64_t>(kMaxSweepPoints));
  constexpr int kMostThreads = 1024;
  out.threads = static_cast<int>(args.whole("--threads", 1, kMostThreads).value_or(cores()));
  out.csv = args.value("--csv");
  out.resume = args.has("--resume");
  out.pareto = args.value("--pareto").value_or("");
  if (args.problem.empty() && args.files.size() != 1) args.problem = "sweep takes one file";
  for (const std::string& text : args.values("--over")) {
    const auto axis = parse_axis(text);
    if (!axis) {
      args.problem = "--over takes path=a,b,c or path=lo:hi:step, not \"" + text + "\"";
      break;
    }
    out.request.axes.push_back(*axis);
  }
  if (const auto text = args.value("--shard"); text && args.problem.empty()) {
    const auto shard = parse_shard(*text);
    if (shard) out.shard = *shard;
    if (!shard) args.problem = "--shard takes i/N with i from 1 to N, not \"" + *text + "\"";
  }
  if (!args.problem.empty()) return out;
  if (out.request.axes.empty() && !seeds) args.problem = "sweep needs --over or --seeds";
  if (out.resume && !out.csv) args.problem = "--resume needs --csv, the file to go on with";
  if (args.has("--pareto") && out.shard.named)
    args.problem = "--pareto needs all points: give it to sluice merge";
  if (args.has("--pareto") && out.pareto.empty()) args.problem = "--pareto needs columns";
  out.request.settings = args.settings;
  out.request.seeds = seeds.value_or(1);
  // Columns cost nothing where nobody asks for them, and the file stays as it always was.
  out.request.devices = ("," + out.pareto + ",").find(",devices,") != std::string::npos;
  return out;
}

/// The file the rows go to as they come, or memory; both are read again for a Pareto front.
class Output {
 public:
  bool open(const std::string& path, std::uint64_t keep) {
    path_ = path;
    std::error_code problem;
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    if (!parent.empty()) std::filesystem::create_directories(parent, problem);
    if (keep > 0) std::filesystem::resize_file(path, keep, problem);
    if (keep > 0 && problem) return complain();
    file_.open(path, keep > 0 ? std::ios::binary | std::ios::app : std::ios::binary);
    return file_ ? true : complain();
  }
  bool write(const std::string& text) {
    if (path_.empty()) {
      memory_ += text;
      return true;
    }
    // Whole blocks reach the file, so that little is lost when the sweep is stopped.
    file_ << text << std::flush;
    return file_ ? true : complain();
  }
  [[nodiscard]] std::optional<std::string> all() const {
    return path_.empty() ? memory_ : read_large_file(path_);
  }

 private:
  [[nodiscard]] bool complain() const {
    std::cerr << "sluice: cannot write " << path_ << "\n";
    return false;
  }

  std::string path_;
  std::ofstream file_;
  std::string memory_;
};

// Plays what is left; how many of all rows say why there is no run, or nothing when they cannot be
// written.
std::optional<std::uint64_t> play(const SweepPoints& points, const Options& options,
                                  const ResumePoint& from, Output& output) {
  if (from.bytes == 0 && !output.write(points.header(options.shard))) return std::nullopt;
  const auto make = [&]() -> Block {
    const auto worker = std::make_shared<SweepWorker>(points);
    return [&points, &options, worker](std::uint64_t first, std::uint64_t end) {
      Played out;
      for (std::uint64_t k = first; k < end; ++k) {
        const std::uint64_t point = point_of(options.shard, k);
        const SweepRow row = worker->run(point);
        if (!row.problem.empty()) ++out.failed;
        out.text += points.row_text(point, row);
      }
      return out;
    };
  };
  const std::uint64_t rows = points_in(options.shard, points.total());
  std::uint64_t failed = from.failed;
  bool written = true;
  Progress progress("sweeping");
  in_blocks(from.rows, rows, options.threads, make, [&](const Played& played, std::uint64_t done) {
    written = output.write(played.text);
    failed += played.failed;
    progress.show(done, rows - from.rows);
    return written;
  });
  if (!written) return std::nullopt;
  return failed;
}

// Where a file goes on; at its beginning when there is none. Nothing, with a message, when it is
// another sweep's.
std::optional<ResumePoint> resume(const SweepPoints& points, const Options& options) {
  std::error_code ignored;
  if (!options.resume || !std::filesystem::exists(*options.csv, ignored)) return ResumePoint{};
  const auto written = read_large_file(*options.csv);
  if (!written) return std::nullopt;
  const Result<ResumePoint> from = resume_point(points, options.shard, *written);
  if (from) return from.value();
  print_diagnostics(*options.csv, from.diagnostics());
  return std::nullopt;
}

}  // namespace

int print_front(const std::string& name, const std::string& csv, const std::string& columns) {
  const Result<ParetoRows> rows = pareto_rows(csv, columns);
  if (!rows) {
    print_diagnostics(name, rows.diagnostics());
    return kUsage;
  }
  std::cout << rows.value().csv;
  std::cerr << rows.value().front << " of " << rows.value().compared
            << " runs are beaten by no other";
  if (rows.value().unfit > 0)
    std::cerr << "; " << rows.value().unfit << " that do not fit in memory are left out";
  std::cerr << "\n";
  return kDone;
}

int sweep_command(const Words& words) {
  Arguments args = parse(words, {{"--set", true},
                                 {"--over", true},
                                 {"--seeds", true},
                                 {"--csv", true},
                                 {"--resume"},
                                 {"--shard", true},
                                 {"--threads", true},
                                 {"--pareto", true}});
  Options options = options_of(args);
  if (!args.problem.empty()) {
    std::cerr << "sluice: " << args.problem << "\n" << kUsageText;
    return kUsage;
  }
  const std::string& file = args.files.front();
  auto text = read_file(file);
  if (!text) return kUsage;
  options.request.text = *std::move(text);
  const Result<SweepPoints> made = SweepPoints::make(std::move(options.request));
  if (!made) {
    print_diagnostics(file, made.diagnostics());
    return kWrongScenario;
  }
  const SweepPoints& points = made.value();
  const auto from = resume(points, options);
  if (!from) return kUsage;
  Output output;
  if (options.csv && !output.open(*options.csv, from->bytes)) return kUsage;
  const auto failed = play(points, options, *from, output);
  if (!failed) return kUsage;
  const std::uint64_t rows = points_in(options.shard, points.total());
  const int code = rows > 0 && *failed == rows ? kWrongScenario : kDone;
  // Read again only where it is wanted.
  const auto all = options.pareto.empty() && options.csv ? std::string() : output.all();
  if (!all) return kUsage;
  if (!options.pareto.empty()) {
    const int front = print_front(options.csv.value_or(file), *all, options.pareto);
    return front == kDone ? code : front;
  }
  if (options.csv) {
    std::cout << rows << " runs written to " << *options.csv;
    if (from->rows > 0) std::cout << ", " << from->rows << " of them were there";
    std::cout << "\n";
  } else {
    std::cout << *all;
  }
  return code;
}

}  // namespace sluice::cli
