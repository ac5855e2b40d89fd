// JSON that others wrote, line by line: one object a line, its fields checked, every problem with
// its line. For sources of io/ only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.hpp"
#include "io/json.hpp"

namespace sluice {

/// Problems of one text. After `kMaxTraceProblems` of them the rest is not listed, which a last one
/// says.
class ProblemList {
 public:
  void add(Code code, int line, std::string message);
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  [[nodiscard]] const Diagnostics& all() const { return problems_; }

 private:
  Diagnostics problems_;
};

inline constexpr std::size_t kMaxTraceProblems = 20;

/// The fields of one object. A missing or wrong one is a problem (trace.field) and reads as
/// nothing.
class JsonFields {
 public:
  JsonFields(const Json& object, int line, ProblemList& problems)
      : object_(object), line_(line), problems_(problems) {}

  [[nodiscard]] bool has(const char* key) const;
  /// A whole number from 0 to `high`.
  std::optional<std::int64_t> whole(const char* key, std::int64_t high);
  std::optional<double> number(const char* key);
  std::optional<std::string> text(const char* key);
  void wrong(std::string message);

 private:
  const Json* required(const char* key);

  const Json& object_;
  int line_;
  ProblemList& problems_;
};

/// Calls `row` with each object; blank lines, and with `skip_others` lines that do not begin with
/// "{", are left out. A line that is no object is a problem (trace.syntax).
void each_json_line(std::string_view text, bool skip_others, ProblemList& problems,
                    const std::function<void(const Json&, int line)>& row);

/// The parser's message without its prefix and place.
std::string json_problem(const std::string& what);

}  // namespace sluice
