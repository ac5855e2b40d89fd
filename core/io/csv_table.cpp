#include "io/csv_table.hpp"

#include <algorithm>

namespace sluice {
namespace {

Diagnostic at_line(int line, std::string message) {
  Diagnostic d = error(Code::CsvSyntax, "", std::move(message));
  d.line = line;
  d.column = 1;
  return d;
}

}  // namespace

Result<CsvTable> CsvTable::parse(std::string_view text) {
  CsvTable out;
  int line = 1;
  while (!text.empty()) {
    if (text.front() == '#' || text.front() == '\n' || text.front() == '\r') {
      const std::size_t end = std::min(text.find('\n'), text.size());
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line;
      continue;
    }
    const int first_line = line;
    std::vector<std::string> row(1);
    bool quoted = false;
    std::size_t i = 0;
    for (; i < text.size() && (quoted || text[i] != '\n'); ++i) {
      const char c = text[i];
      if (c == '\n') ++line;
      if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
        row.back() += '"';
        ++i;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        row.emplace_back();
      } else if (c != '\r' || quoted) {
        row.back() += c;
      }
    }
    if (quoted) return at_line(first_line, "a quoted field does not end");
    text.remove_prefix(std::min(i + 1, text.size()));
    ++line;
    if (out.columns_.empty()) {
      out.columns_ = std::move(row);
      continue;
    }
    if (row.size() != out.columns_.size()) {
      return at_line(first_line, std::to_string(row.size()) + " fields, the header has " +
                                     std::to_string(out.columns_.size()));
    }
    out.lines_.push_back(first_line);
    for (std::string& field : row) out.fields_.push_back(std::move(field));
  }
  if (out.columns_.empty()) return at_line(1, "no header");
  return out;
}

bool CsvTable::has(std::string_view column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

const std::string& CsvTable::at(std::size_t row, std::string_view column) const {
  static const std::string kNone;
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return kNone;
  return fields_[row * columns_.size() + static_cast<std::size_t>(found - columns_.begin())];
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += '"';
  }
  return out + "\"";
}

}  // namespace sluice
