// A CSV file with a header, as rows of texts by column name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice {

/// A field as CSV wants it: quoted where there is a comma, quote or line break in it.
std::string csv_text(const std::string& text);

/// Quoted fields may hold commas, quotes (doubled) and line breaks; lines that begin with # are
/// left out.
class CsvTable {
 public:
  /// Diagnostics with the line: csv.syntax (no header, a row with another number of fields, a quote
  /// that does not end).
  static Result<CsvTable> parse(std::string_view text);

  [[nodiscard]] std::size_t rows() const { return lines_.size(); }
  /// Line of a row in the text, from 1.
  [[nodiscard]] int line(std::size_t row) const { return lines_[row]; }
  [[nodiscard]] bool has(std::string_view column) const;
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// "" where there is no such column.
  [[nodiscard]] const std::string& at(std::size_t row, std::string_view column) const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::string> fields_;
  std::vector<int> lines_;
};

}  // namespace sluice
