#include "io/json.hpp"

namespace sluice {

void JsonField::put_into(Json& object) const {
  Json& value = object[key_];
  switch (kind_) {
    case Kind::Nested:
      value = *value_.nested;
      break;
    case Kind::Text:
      value = std::string(value_.text, size_);
      break;
    case Kind::Number:
      value = value_.number;
      break;
    case Kind::Boolean:
      value = value_.whole != 0;
      break;
    case Kind::Signed:
      value = value_.whole;
      break;
    case Kind::Unsigned:
      value = value_.count;
      break;
  }
}

Json json_object(std::initializer_list<JsonField> fields) {
  Json object = Json::object();
  for (const JsonField& field : fields) field.put_into(object);
  return object;
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json diagnostics_to_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& d : diagnostics) {
    list.push_back(json_object({{"code", code_text(d.code)},
                                {"severity", severity_text(d.severity)},
                                {"path", d.path},
                                {"line", d.line},
                                {"column", d.column},
                                {"end_line", d.end_line},
                                {"end_column", d.end_column},
                                {"message", d.message},
                                {"hint", d.hint},
                                {"fix", d.fix}}));
  }
  return list;
}

}  // namespace sluice
