#include "io/schema.hpp"

#include "io/fields.hpp"
#include "io/json.hpp"
#include "io/model_presets.hpp"

namespace sluice {
namespace {

// Builds the schema of one mapping (or of one value, where the key is empty).
class SchemaWriter : public Fields {
 public:
  bool number(const Key& key, double& value, const Range& range) override {
    Json& s = property(key, "number");
    bounds(s, range);
    set_default(s, key, value);
    return false;
  }
  bool integer(const Key& key, std::int64_t& value, const Range& range) override {
    Json& s = property(key, "integer");
    bounds(s, range);
    set_default(s, key, value);
    return false;
  }
  bool boolean(const Key& key, bool& value) override {
    set_default(property(key, "boolean"), key, value);
    return false;
  }
  bool text(const Key& key, std::string& value) override {
    Json& s = property(key, "string");
    s["type"] = {"string", "number"};
    if (!value.empty()) set_default(s, key, value);
    return false;
  }
  bool choice(const Key& key, std::size_t& index, std::span<const Word> words) override {
    Json& s = property(key, "string");
    Json names = Json::array();
    Json docs = Json::array();
    for (const Word& w : words) {
      names.push_back(w.text);
      docs.push_back(w.doc);
    }
    s["enum"] = names;
    s["x-doc"] = docs;
    set_default(s, key, std::string(words[index].text));
    return false;
  }
  bool object(const Key& key, Members members) override {
    SchemaWriter inner;
    members(inner);
    Json& s = property(key, "object");
    inner.put_into(s);
    return false;
  }
  bool list(const Key& key, std::size_t, FunctionRef<void(std::size_t)> resize,
            FunctionRef<void(Fields&, std::size_t)> item) override {
    resize(1);
    SchemaWriter inner;
    item(inner, 0);
    resize(0);
    Json& s = property(key, "array");
    if (key.required) s["minItems"] = 1;
    s["items"] = inner.as_value();
    return false;
  }
  bool one_of(const Key& key, std::size_t, std::span<const Form> forms) override {
    Json choices = Json::array();
    for (const Form& form : forms) {
      SchemaWriter inner;
      form.members(inner);
      choices.push_back(inner.as_value());
    }
    Json& s = property(key, "");
    s["anyOf"] = choices;
    return false;
  }
  void exclusive(std::span<const std::string_view> names, bool required) override {
    if (!required) return;
    Json choices = Json::array();
    for (const std::string_view n : names) choices.push_back({{"required", {n}}});
    one_required_ = choices;
  }
  [[nodiscard]] bool documenting() const override { return true; }
  void present(bool is_set) override { unset_ = !is_set; }

  void put_into(Json& s) const {
    s["type"] = "object";
    s["properties"] = properties_;
    if (!required_.empty()) s["required"] = required_;
    if (!one_required_.empty()) s["oneOf"] = one_required_;
    s["additionalProperties"] = false;
  }
  /// A mapping, or what was said of the value itself.
  [[nodiscard]] Json as_value() const {
    if (properties_.empty()) return self_;
    Json s;
    put_into(s);
    return s;
  }

 private:
  Json& property(const Key& key, std::string_view type) {
    Json s;
    if (!type.empty()) s["type"] = type;
    s["description"] = key.doc;
    if (!key.unit.empty()) s["x-unit"] = key.unit;
    skip_default_ = key.required || unset_;
    unset_ = false;
    if (key.name.empty()) return self_ = s;
    const std::string name(key.name);
    if (key.required) required_.push_back(name);
    return properties_[name] = s;
  }
  static void bounds(Json& s, const Range& range) {
    if (range.low > -1e12) s[range.above ? "exclusiveMinimum" : "minimum"] = range.low;
    if (range.high < 1e15) s["maximum"] = range.high;
  }
  template <class T>
  void set_default(Json& s, const Key& key, const T& value) const {
    if (!skip_default_ && !key.name.empty()) s["default"] = value;
  }

  Json self_;
  Json properties_ = Json::object();
  Json required_ = Json::array();
  Json one_required_ = Json::array();
  bool unset_ = false;
  bool skip_default_ = false;
};

}  // namespace

std::string scenario_schema() {
  Scenario scenario;
  SchemaWriter writer;
  describe(writer, scenario);
  Json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "Sluice scenario";
  schema["description"] = "What to simulate: stages, schedule, devices and links";
  writer.put_into(schema);
  // For completion; a name that is not among them is told with the nearest one.
  Json* at = &schema;
  for (const char* key : {"pipeline", "model", "preset"}) at = &(*at)["properties"][key];
  (*at)["examples"] = model_preset_names();
  return json_text(schema);
}

}  // namespace sluice
