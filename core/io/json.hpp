// One JSON type for everything that is written: keys keep the order they were put in, text that is
// not UTF-8 is replaced. For sources of io/ and wasm/ only: it brings in the JSON library.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/diagnostics.hpp"

namespace sluice {

using Json = nlohmann::ordered_json;

/// A key and its value, as a view: what the library's own initializer lists inline for each pair
/// adds up to kilobytes of the module. `Json` values are copied.
class JsonField {
 public:
  JsonField(const char* key, const Json& value) : key_(key), kind_(Kind::Nested) {
    value_.nested = &value;
  }
  JsonField(const char* key, std::string_view value)
      : key_(key), kind_(Kind::Text), size_(value.size()) {
    value_.text = value.data();
  }
  JsonField(const char* key, const char* value) : JsonField(key, std::string_view(value)) {}
  JsonField(const char* key, const std::string& value) : JsonField(key, std::string_view(value)) {}
  JsonField(const char* key, double value) : key_(key), kind_(Kind::Number) {
    value_.number = value;
  }
  template <std::integral T>
  JsonField(const char* key, T value) : key_(key), kind_(Kind::Unsigned) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::Boolean;
      value_.whole = value ? 1 : 0;
    } else if constexpr (std::is_signed_v<T>) {
      kind_ = Kind::Signed;
      value_.whole = value;
    } else {
      value_.count = value;
    }
  }

  void put_into(Json& object) const;

 private:
  enum class Kind : std::uint8_t { Nested, Text, Number, Boolean, Signed, Unsigned };
  union Value {
    const Json* nested;
    const char* text;
    double number;
    std::int64_t whole;
    std::uint64_t count;
  };

  const char* key_;
  Kind kind_;
  Value value_ = {};
  /// Of a text.
  std::size_t size_ = 0;
};

/// An object of these fields, in their order.
Json json_object(std::initializer_list<JsonField> fields);

/// `indent` < 0: one line.
std::string json_text(const Json& json, int indent = -1);

Json diagnostics_to_json(const Diagnostics& diagnostics);

}  // namespace sluice
