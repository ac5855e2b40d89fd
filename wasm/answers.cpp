#include "wasm/answers.hpp"

#include <algorithm>
#include <utility>

namespace sluice::wasm {
namespace {

using emscripten::val;

val parsed(const std::string& json) {
  // Not `call`: Embind keeps its callers in thread-local storage, which this compiler leaves in a
  // file without atomics.
  return val::global("JSON")["parse"](json);
}

std::string yaml_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

}  // namespace

val diagnostics_value(const Diagnostics& diagnostics) {
  return parsed(json_text(diagnostics_to_json(diagnostics)));
}

val internal_error(const char* what) {
  return parsed(json_text(
      {{"ok", false},
       {"diagnostics",
        Json::array({{{"code", "internal"},
                      {"severity", "error"},
                      {"path", ""},
                      {"line", 0},
                      {"column", 0},
                      {"end_line", 0},
                      {"end_column", 0},
                      {"message", std::string("internal error: ") + what},
                      {"hint", "this is a bug in Sluice; please report it with the scenario"},
                      {"fix", ""}}})}}));
}

val refused(const Diagnostics& diagnostics) {
  val out = val::object();
  out.set("ok", false);
  out.set("diagnostics", diagnostics_value(diagnostics));
  return out;
}

val without_job(val refusal) {
  refusal.set("job", val::null());
  return refusal;
}

Json options_json(const std::string& text) {
  Json j = Json::parse(text.empty() ? "{}" : text, nullptr, false);
  return j.is_object() ? j : Json::object();
}

Options parse_options(const std::string& text) {
  Options out;
  const Json j = options_json(text);
  if (j.contains("set") && j["set"].is_object()) {
    for (const auto& [path, value] : j["set"].items())
      out.settings.push_back({path, yaml_text(value)});
  }
  if (j.contains("over") && j["over"].is_array()) {
    for (const Json& axis : j["over"]) {
      if (!axis.is_object() || !axis.contains("path") || !axis["path"].is_string() ||
          !axis.contains("values"))
        continue;
      Axis a{axis["path"].get<std::string>(), {}};
      for (const Json& value : axis["values"]) a.values.push_back(yaml_text(value));
      out.axes.push_back(std::move(a));
    }
  }
  if (j.contains("seeds") && j["seeds"].is_number_integer()) {
    out.seeds = std::max<std::int64_t>(1, j["seeds"].get<std::int64_t>());
  }
  if (j.contains("csv")) {
    out.csv = true;
    out.first = static_cast<std::uint64_t>(j["csv"][0].get<std::int64_t>());
    out.last = static_cast<std::uint64_t>(j["csv"][1].get<std::int64_t>());
  }
  return out;
}

}  // namespace sluice::wasm
