#include "io/json.hpp"

namespace sluice {

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json diagnostics_to_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& d : diagnostics) {
    list.push_back({{"code", code_text(d.code)},
                    {"severity", severity_text(d.severity)},
                    {"path", d.path},
                    {"line", d.line},
                    {"column", d.column},
                    {"end_line", d.end_line},
                    {"end_column", d.end_column},
                    {"message", d.message},
                    {"hint", d.hint},
                    {"fix", d.fix}});
  }
  return list;
}

}  // namespace sluice
