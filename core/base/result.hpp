// A value or the reasons why there is none. Nothing throws for something a user wrote.
#pragma once

#include <utility>
#include <variant>

#include "base/check.hpp"
#include "base/diagnostics.hpp"

namespace sluice {

/// Either a T or at least one Diagnostic. Asking for the wrong one is a bug (SLUICE_CHECK).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(Diagnostics diagnostics) : content_(std::move(diagnostics)) {}
  Result(Diagnostic diagnostic) : content_(Diagnostics{std::move(diagnostic)}) {}

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return ok(); }

  T& value() & {
    SLUICE_CHECK(ok());
    return *std::get_if<T>(&content_);
  }
  [[nodiscard]] const T& value() const& {
    SLUICE_CHECK(ok());
    return *std::get_if<T>(&content_);
  }
  T&& value() && {
    SLUICE_CHECK(ok());
    return std::move(*std::get_if<T>(&content_));
  }
  [[nodiscard]] const Diagnostics& diagnostics() const {
    SLUICE_CHECK(!ok());
    return *std::get_if<Diagnostics>(&content_);
  }

 private:
  std::variant<T, Diagnostics> content_;
};

}  // namespace sluice
