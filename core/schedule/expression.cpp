#include "schedule/expression.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace sluice {
namespace {
// Deep enough for any rule worth reading; the parser refuses what would need more.
constexpr std::size_t kStack = 32;
constexpr int kDepth = 20;
}  // namespace

// Recursive descent, one method a level of precedence; the first problem found ends it.
class Expression::Parser {
 public:
  Parser(std::string_view text, std::span<const std::string_view> names)
      : text_(text), names_(names) {}

  Result<Expression> parse() {
    disjunction();
    skip_blanks();
    if (!problem_ && at_ < text_.size())
      fail("unexpected \"" + std::string(text_.substr(at_, 12)) + "\"");
    if (!problem_ && deepest_ > kStack) fail("the condition is too long");
    if (problem_) return *problem_;
    Expression out;
    out.code_ = std::move(code_);
    return out;
  }

 private:
  void fail(const std::string& message) {
    if (problem_) return;
    std::string all;
    for (const std::string_view n : names_) all += (all.empty() ? "" : ", ") + std::string(n);
    problem_ = error(Code::PolicySyntax, "",
                     message + " in the condition \"" + std::string(text_.substr(0, 80)) + "\"",
                     "names: " + all);
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool accept(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    if (std::isalpha(static_cast<unsigned char>(token.front())) != 0) {
      const std::size_t end = at_ + token.size();
      if (end < text_.size() &&
          (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
        return false;
      }
    }
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail("expected \"" + std::string(token) + "\"");
  }
  void emit(Step step, int effect, double number = 0, std::uint32_t name = 0) {
    code_.push_back({step, name, number});
    depth_ += effect;
    if (depth_ > 0 && static_cast<std::size_t>(depth_) > deepest_)
      deepest_ = static_cast<std::size_t>(depth_);
  }

  void disjunction() {
    if (++nesting_ > kDepth) return fail("nested too deeply");
    conjunction();
    while (!problem_ && accept("or")) {
      conjunction();
      emit(Step::Or, -1);
    }
    --nesting_;
  }
  void conjunction() {
    negation();
    while (!problem_ && accept("and")) {
      negation();
      emit(Step::And, -1);
    }
  }
  void negation() {
    if (accept("not")) {
      comparison();
      emit(Step::Not, 0);
      return;
    }
    comparison();
  }
  void comparison() {
    sum();
    struct Sign {
      std::string_view text;
      Step step;
    };
    constexpr std::array<Sign, 6> kSigns{{{"==", Step::Equal},
                                          {"!=", Step::Unequal},
                                          {"<=", Step::LessEqual},
                                          {">=", Step::GreaterEqual},
                                          {"<", Step::Less},
                                          {">", Step::Greater}}};
    for (const Sign& sign : kSigns) {
      if (problem_ || !accept(sign.text)) continue;
      sum();
      emit(sign.step, -1);
      return;
    }
  }
  void sum() {
    product();
    for (;;) {
      if (problem_) return;
      const Step step = accept("+") ? Step::Add : accept("-") ? Step::Subtract : Step::Number;
      if (step == Step::Number) return;
      product();
      emit(step, -1);
    }
  }
  void product() {
    factor();
    for (;;) {
      if (problem_) return;
      const Step step = accept("*") ? Step::Multiply : accept("/") ? Step::Divide : Step::Number;
      if (step == Step::Number) return;
      factor();
      emit(step, -1);
    }
  }
  void factor() {
    if (accept("-")) {
      if (++nesting_ > kDepth) return fail("nested too deeply");
      factor();
      --nesting_;
      emit(Step::Negate, 0);
      return;
    }
    if (accept("(")) {
      disjunction();
      expect(")");
      return;
    }
    skip_blanks();
    if (at_ >= text_.size()) return fail("the condition ends too early");
    const char c = text_[at_];
    if ((c >= '0' && c <= '9') || c == '.') return number();
    word();
  }
  void number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && ((text_[at_] >= '0' && text_[at_] <= '9') || text_[at_] == '.'))
      ++at_;
    const std::string digits(text_.substr(begin, at_ - begin));
    if (digits.size() > 20 || digits.find('.') != digits.rfind('.') || digits == ".")
      return fail("not a number: " + digits);
    emit(Step::Number, 1, std::strtod(digits.c_str(), nullptr));
  }
  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) return fail("unexpected \"" + std::string(text_.substr(begin, 12)) + "\"");
    if (name == "max" || name == "min" || name == "round") {
      expect("(");
      disjunction();
      if (name != "round") {
        expect(",");
        disjunction();
      }
      expect(")");
      emit(name == "max"   ? Step::Max
           : name == "min" ? Step::Min
                           : Step::Round,
           name == "round" ? 0 : -1);
      return;
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return emit(Step::Name, 1, 0, static_cast<std::uint32_t>(i));
    }
    fail("unknown name \"" + std::string(name) + "\"");
  }

  std::string_view text_;
  std::span<const std::string_view> names_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  int depth_ = 0;
  std::size_t deepest_ = 0;
  std::vector<Instruction> code_;
  std::optional<Diagnostic> problem_;
};

Result<Expression> Expression::compile(std::string_view text,
                                       std::span<const std::string_view> names) {
  return Parser(text, names).parse();
}

double Expression::evaluate(std::span<const double> values) const {
  std::array<double, kStack> stack;
  std::size_t top = 0;
  const auto truth = [](bool b) { return b ? 1.0 : 0.0; };
  for (const Instruction& in : code_) {
    if (in.step == Step::Number || in.step == Step::Name) {
      stack[top++] = in.step == Step::Number ? in.number : values[in.name];
      continue;
    }
    double& a = stack[top - 1];
    if (in.step == Step::Negate || in.step == Step::Not || in.step == Step::Round) {
      a = in.step == Step::Negate ? -a : in.step == Step::Not ? truth(a == 0) : std::nearbyint(a);
      continue;
    }
    const double b = stack[--top];
    double& left = stack[top - 1];
    switch (in.step) {
      case Step::Add:
        left = left + b;
        break;
      case Step::Subtract:
        left = left - b;
        break;
      case Step::Multiply:
        left = left * b;
        break;
      case Step::Divide:
        left = left / b;
        break;
      case Step::Equal:
        left = truth(left == b);
        break;
      case Step::Unequal:
        left = truth(left != b);
        break;
      case Step::Less:
        left = truth(left < b);
        break;
      case Step::LessEqual:
        left = truth(left <= b);
        break;
      case Step::Greater:
        left = truth(left > b);
        break;
      case Step::GreaterEqual:
        left = truth(left >= b);
        break;
      case Step::And:
        left = truth(left != 0 && b != 0);
        break;
      case Step::Or:
        left = truth(left != 0 || b != 0);
        break;
      case Step::Max:
        left = left < b ? b : left;
        break;
      case Step::Min:
        left = b < left ? b : left;
        break;
      default:
        break;
    }
  }
  return stack[0];
}

}  // namespace sluice
