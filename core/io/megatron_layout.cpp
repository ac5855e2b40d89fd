#include "io/megatron_layout.hpp"

#include <cctype>

#include "schedule/order.hpp"

namespace sluice {
namespace {

constexpr std::size_t kMostItems = 100'000;
constexpr int kMostDepth = 8;

class LayoutParser {
 public:
  explicit LayoutParser(std::string_view text) : text_(text) {}

  Result<std::vector<StageLayout>> run() {
    const std::string items = sequence(0);
    if (problem_.empty() && at_ < text_.size()) fail("`)` without `(`");
    if (!problem_.empty()) return problem_;
    return stages_of(items);
  }

 private:
  void fail(const std::string& message) {
    if (!problem_.empty()) return;
    Diagnostic d = error(Code::LayoutSyntax, "",
                         message + " at character " + std::to_string(at_ + 1) + " of the layout",
                         "E, t, m, L for layers, | between stages, x*n and (...)*n to repeat");
    d.line = 1;
    d.column = static_cast<int>(at_) + 1;
    problem_.push_back(std::move(d));
  }

  // Letters and bars, with all repeats written out.
  std::string sequence(int depth) {
    std::string out;
    while (at_ < text_.size() && text_[at_] != ')' && problem_.empty()) {
      const char c = text_[at_];
      if (c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
        continue;
      }
      std::string unit;
      if (c == '(') {
        if (depth == kMostDepth) {
          fail("brackets too deep");
          break;
        }
        ++at_;
        unit = sequence(depth + 1);
        if (problem_.empty() && (at_ == text_.size() || text_[at_] != ')')) fail("`)` is missing");
      } else if (c == 'E' || c == 't' || c == 'm' || c == 'L' || c == '|') {
        unit = std::string(1, c);
      } else {
        fail(std::string("`") + c + "` is no layer");
      }
      if (!problem_.empty()) break;
      ++at_;
      repeat(out, unit);
    }
    return out;
  }

  void repeat(std::string& out, const std::string& unit) {
    std::size_t times = 1;
    if (at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      times = 0;
      std::size_t digits = 0;
      for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
           ++at_, ++digits) {
        if (times < kMostItems) times = times * 10 + static_cast<std::size_t>(text_[at_] - '0');
      }
      if (digits == 0 || times == 0) return fail("a number above 0 must follow `*`");
    }
    if (out.size() + unit.size() * times > kMostItems) return fail("too many layers");
    for (std::size_t i = 0; i < times; ++i) out += unit;
  }

  Result<std::vector<StageLayout>> stages_of(const std::string& items) {
    std::vector<StageLayout> stages(1);
    for (const char c : items) {
      StageLayout& s = stages.back();
      if (c == '|') {
        stages.emplace_back();
      } else if (c == 't') {
        ++s.layers;
      } else if (c == 'm') {
        ++s.prediction_layers;
      } else if (c == 'E') {
        if (s.embedding || s.layers > 0 || stages.size() > 1) fail("`E` is not the first layer");
        s.embedding = true;
      } else {
        if (s.loss) fail("`L` stands twice");
        s.loss = true;
      }
    }
    for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
      if (stages[i].loss) fail("`L` is not on the last stage");
    }
    if (stages.size() > static_cast<std::size_t>(kMaxStages)) fail("too many stages");
    if (!problem_.empty()) return problem_;
    return stages;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Diagnostics problem_;
};

std::string counted(char layer, int n) {
  if (n == 0) return "";
  return std::string(1, layer) + (n > 1 ? "*" + std::to_string(n) : "");
}

std::string stage_text(const StageLayout& s) {
  return std::string(s.embedding ? "E" : "") + counted('t', s.layers) +
         counted('m', s.prediction_layers) + (s.loss ? "L" : "");
}

}  // namespace

Result<std::vector<StageLayout>> parse_layout(std::string_view text) {
  return LayoutParser(text).run();
}

std::string layout_text(const std::vector<StageLayout>& stages) {
  std::string out;
  for (std::size_t i = 0; i < stages.size();) {
    std::size_t same = 1;
    while (i + same < stages.size() && stages[i + same] == stages[i]) ++same;
    const bool ends = i + same == stages.size();
    // The last stage has no bar behind it and stands alone.
    const std::size_t repeated = ends ? same - 1 : same;
    const std::string one = stage_text(stages[i]) + "|";
    if (repeated > 1) {
      out += "(" + one + ")*" + std::to_string(repeated) + ",";
    } else if (repeated == 1) {
      out += one;
    }
    if (ends) out += stage_text(stages.back());
    i += same;
  }
  return out;
}

}  // namespace sluice
