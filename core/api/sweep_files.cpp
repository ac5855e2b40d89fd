#include "api/sweep_files.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "base/stable_order.hpp"

namespace sluice {
namespace {

// A row with its line break; nothing when it is torn. Quoted fields may hold line breaks.
std::string_view first_row(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\n' && !quoted) return text.substr(0, i + 1);
  }
  return {};
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, std::min(text.find('\n'), text.size()));
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Diagnostic refusal(std::string message, std::string hint = "") {
  return error(Code::CsvValue, "", std::move(message), std::move(hint));
}

// The first line of a part: "# sluice sweep HASH, part I of N, T points HASH".
struct PartHeader {
  std::string_view scenario;
  Shard shard;
  std::uint64_t total = 0;
  std::string_view grid;
};

// Takes the text up to `mark` away, and the mark.
std::optional<std::string_view> up_to(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view out = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return out;
}

std::optional<PartHeader> read_header(std::string_view line) {
  const auto scenario = up_to(line, ", part ");
  const auto number = up_to(line, " of ");
  const auto of = up_to(line, ", ");
  const auto total = up_to(line, " points ");
  if (!scenario || !number || !of || !total || !scenario->starts_with("# sluice sweep "))
    return std::nullopt;
  const auto i = whole_number(*number);
  const auto n = whole_number(*of);
  const auto points = whole_number(*total);
  if (!i || !n || !points || *i < 1 || *i > *n || *points > kMaxSweepPoints) return std::nullopt;
  return PartHeader{*scenario, {*i, *n, true}, *points, line};
}

// A part that is read, and how far it is merged.
struct OpenPart {
  const SweepPart* file = nullptr;
  PartHeader header;
  std::string_view columns;
  std::string_view rest;
};

Result<OpenPart> open_part(const SweepPart& part) {
  const std::string_view line = first_line(part.text);
  const auto header = read_header(line);
  if (!header) {
    return refusal("\"" + part.name + "\" is not a part of a sweep",
                   "parts are written by sluice sweep --shard i/N --csv");
  }
  OpenPart out{&part, *header, {}, std::string_view(part.text).substr(line.size())};
  if (!out.rest.empty()) out.rest.remove_prefix(1);
  out.columns = first_row(out.rest);
  out.rest.remove_prefix(out.columns.size());
  return out;
}

Diagnostics check_parts(const std::vector<OpenPart>& parts) {
  const OpenPart& first = parts.front();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const OpenPart& p = parts[i];
    const bool same = p.header.scenario == first.header.scenario && p.columns == first.columns &&
                      p.header.grid == first.header.grid && p.header.total == first.header.total &&
                      p.header.shard.of == first.header.shard.of;
    if (!same) {
      return {refusal(
          "\"" + p.file->name + "\" is of another sweep than \"" + first.file->name + "\": " +
              (p.header.scenario != first.header.scenario   ? "another scenario"
               : p.header.shard.of != first.header.shard.of ? "another number of parts"
                                                            : "other axes, seeds or version"),
          "merge only parts of one sweep")};
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (parts[j].header.shard.number != p.header.shard.number) continue;
      return {refusal("\"" + p.file->name + "\" is part " + std::to_string(p.header.shard.number) +
                      " again, which \"" + parts[j].file->name + "\" is already")};
    }
  }
  return {};
}

// The next row of the part, which must be that of `point`.
Result<std::string_view> take_row(OpenPart& part, std::uint64_t point) {
  const std::string number = std::to_string(point);
  if (part.rest.empty()) {
    return refusal("\"" + part.file->name + "\" ends before row " + number,
                   "go on with it: --resume");
  }
  const std::string_view row = first_row(part.rest);
  if (row.empty()) {
    return refusal("the last row of \"" + part.file->name + "\" is torn",
                   "go on with it: --resume");
  }
  const std::string_view found = row.substr(0, std::min(row.find(','), row.size()));
  if (found != number) {
    return refusal("\"" + part.file->name + "\" has row " + std::string(found) + " where row " +
                   number + " belongs");
  }
  part.rest.remove_prefix(row.size());
  return row;
}

}  // namespace

Result<ResumePoint> resume_point(const SweepPoints& points, const Shard& shard,
                                 std::string_view written) {
  const std::string header = points.header(shard);
  if (header.starts_with(written)) return ResumePoint{};
  if (!written.starts_with(header)) {
    return refusal("the file is of another sweep or part: it begins with \"" +
                       std::string(first_line(written)) + "\"",
                   "name another file, or leave out --resume to write it anew");
  }
  ResumePoint out{.bytes = header.size()};
  const std::uint64_t most = points_in(shard, points.total());
  for (;;) {
    const std::string_view row = first_row(written.substr(static_cast<std::size_t>(out.bytes)));
    if (row.empty()) return out;
    const std::string number = std::to_string(point_of(shard, out.rows));
    if (out.rows == most || !row.starts_with(points.row_begin(point_of(shard, out.rows)))) {
      return refusal("the file is of another sweep: it has the row \"" +
                         std::string(row.substr(0, row.size() - 1)) + "\" where " +
                         (out.rows == most ? "the sweep is over" : "row " + number + " belongs"),
                     "name another file, or leave out --resume to write it anew");
    }
    if (!row.ends_with(",\n")) ++out.failed;
    out.bytes += row.size();
    ++out.rows;
  }
}

Result<std::string> merge_parts(const std::vector<SweepPart>& files) {
  std::vector<OpenPart> parts;
  for (const SweepPart& file : files) {
    Result<OpenPart> part = open_part(file);
    if (!part) return part.diagnostics();
    parts.push_back(part.value());
  }
  if (parts.empty()) return refusal("no parts");
  Diagnostics problems = check_parts(parts);
  if (!problems.empty()) return problems;
  sort_stably(parts, [](const OpenPart& a, const OpenPart& b) {
    return a.header.shard.number < b.header.shard.number;
  });
  const PartHeader header = parts.front().header;
  for (std::uint64_t i = 1; i <= header.shard.of; ++i) {
    if (i <= parts.size() && parts[static_cast<std::size_t>(i - 1)].header.shard.number == i)
      continue;
    return refusal("part " + std::to_string(i) + " of " + std::to_string(header.shard.of) +
                   " is missing");
  }
  std::string out = std::string(header.scenario) + "\n" + std::string(parts.front().columns);
  for (std::uint64_t point = 0; point < header.total; ++point) {
    const Result<std::string_view> row =
        take_row(parts[static_cast<std::size_t>(point % header.shard.of)], point);
    if (!row) return row.diagnostics();
    out += row.value();
  }
  for (const OpenPart& part : parts) {
    if (part.rest.empty()) continue;
    return refusal("\"" + part.file->name + "\" has rows after the last one of the sweep");
  }
  return out;
}

}  // namespace sluice
