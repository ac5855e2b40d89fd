#include "io/json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/excerpt.hpp"

namespace sluice {

void ProblemList::add(Code code, int line, std::string message) {
  if (problems_.size() > kMaxTraceProblems) return;
  if (problems_.size() == kMaxTraceProblems) message = "and more, which are not listed";
  Diagnostic d = error(code, "", std::move(message));
  d.line = line;
  d.column = 1;
  problems_.push_back(std::move(d));
}

bool JsonFields::has(const char* key) const {
  return object_.contains(key);
}

const Json* JsonFields::required(const char* key) {
  const auto found = object_.find(key);
  if (found != object_.end()) return &*found;
  wrong("`" + std::string(key) + "` is missing");
  return nullptr;
}

std::optional<std::int64_t> JsonFields::whole(const char* key, std::int64_t high) {
  const Json* value = required(key);
  if (value == nullptr) return std::nullopt;
  // The library reads whole numbers that are not negative as unsigned.
  if (value->is_number_unsigned() &&
      value->get<std::uint64_t>() <= static_cast<std::uint64_t>(high))
    return value->get<std::int64_t>();
  wrong("`" + std::string(key) + "` is " + excerpt(json_text(*value)) +
        "; a whole number from 0 to " + std::to_string(high) + " is needed");
  return std::nullopt;
}

std::optional<double> JsonFields::number(const char* key) {
  const Json* value = required(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
  wrong("`" + std::string(key) + "` is " + excerpt(json_text(*value)) + "; a number is needed");
  return std::nullopt;
}

std::optional<std::string> JsonFields::text(const char* key) {
  const Json* value = required(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  wrong("`" + std::string(key) + "` is " + excerpt(json_text(*value)) + "; a text is needed");
  return std::nullopt;
}

void JsonFields::wrong(std::string message) {
  problems_.add(Code::TraceField, line_, std::move(message));
}

void each_json_line(std::string_view text, bool skip_others, ProblemList& problems,
                    const std::function<void(const Json&, int line)>& row) {
  int line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t first = one.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || (skip_others && one[first] != '{')) continue;
    try {
      const Json object = Json::parse(one);
      if (object.is_object()) {
        row(object, line);
      } else {
        problems.add(Code::TraceSyntax, line, "the line is no JSON object");
      }
    } catch (const Json::exception& e) {
      problems.add(Code::TraceSyntax, line, "the line is no JSON: " + json_problem(e.what()));
    }
  }
}

std::string json_problem(const std::string& what) {
  // "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while ..."
  const std::size_t cut = what.find(": ");
  return cut == std::string::npos ? what : what.substr(cut + 2);
}

}  // namespace sluice
