// Conditions in policy rules: arithmetic and comparisons over named numbers, compiled once and
// evaluated without allocation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice {

/// A compiled condition. Grammar: or < and < not < == != < <= > >= < + - < * / < unary -; max(a,
/// b), min(a, b), round(x) (half to even), parentheses, decimal numbers and the names given to
/// `compile`. Truth is any number but 0.
class Expression {
 public:
  /// Diagnostics: policy.syntax, naming what was found and what is allowed.
  static Result<Expression> compile(std::string_view text, std::span<const std::string_view> names);

  /// `values` in the order of the names. Division by zero gives an infinity or NaN, which compares
  /// false.
  [[nodiscard]] double evaluate(std::span<const double> values) const;

 private:
  enum class Step : std::uint8_t {
    Number,
    Name,
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Not,
    Max,
    Min,
    Round
  };
  struct Instruction {
    Step step = Step::Number;
    std::uint32_t name = 0;
    double number = 0;
  };
  class Parser;

  std::vector<Instruction> code_;
};

}  // namespace sluice
