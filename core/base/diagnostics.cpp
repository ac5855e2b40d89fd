#include "base/diagnostics.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "base/stable_order.hpp"

namespace sluice {

std::string_view code_text(Code code) {
  switch (code) {
    case Code::TextTooLarge:
      return "text.too_large";
    case Code::TextNotUtf8:
      return "text.not_utf8";
    case Code::TextControlCharacter:
      return "text.control_character";
    case Code::YamlSyntax:
      return "yaml.syntax";
    case Code::YamlTooDeep:
      return "yaml.too_deep";
    case Code::YamlTooManyNodes:
      return "yaml.too_many_nodes";
    case Code::YamlDuplicateKey:
      return "yaml.duplicate_key";
    case Code::YamlEmpty:
      return "yaml.empty";
    case Code::YamlSeveralDocuments:
      return "yaml.several_documents";
    case Code::YamlKeyNotText:
      return "yaml.key_not_text";
    case Code::KeyUnknown:
      return "key.unknown";
    case Code::KeyMissing:
      return "key.missing";
    case Code::KeyConflict:
      return "key.conflict";
    case Code::TypeMapping:
      return "type.mapping";
    case Code::TypeList:
      return "type.list";
    case Code::TypeNumber:
      return "type.number";
    case Code::TypeInteger:
      return "type.integer";
    case Code::TypeBoolean:
      return "type.boolean";
    case Code::TypeText:
      return "type.text";
    case Code::NumberSyntax:
      return "number.syntax";
    case Code::NumberRange:
      return "number.range";
    case Code::ValueRange:
      return "value.range";
    case Code::ValueChoice:
      return "value.choice";
    case Code::ValueEmpty:
      return "value.empty";
    case Code::IdDuplicate:
      return "id.duplicate";
    case Code::IdCollision:
      return "id.collision";
    case Code::ReferenceDevice:
      return "reference.device";
    case Code::ReferencePreset:
      return "reference.preset";
    case Code::ReferenceSchedule:
      return "reference.schedule";
    case Code::ReferenceNode:
      return "reference.node";
    case Code::LinkMissing:
      return "link.missing";
    case Code::LinkSelf:
      return "link.self";
    case Code::PresetKind:
      return "preset.kind";
    case Code::PresetUncertain:
      return "preset.uncertain";
    case Code::PolicySyntax:
      return "policy.syntax";
    case Code::PolicySplit:
      return "policy.split";
    case Code::ScheduleConstraint:
      return "schedule.constraint";
    case Code::ScheduleNeedsSearch:
      return "schedule.needs_search";
    case Code::ScheduleParameter:
      return "schedule.parameter";
    case Code::OrderSyntax:
      return "order.syntax";
    case Code::OrderMissing:
      return "order.missing";
    case Code::OrderUnknown:
      return "order.unknown";
    case Code::OrderDuplicate:
      return "order.duplicate";
    case Code::OrderWrongRank:
      return "order.wrong_rank";
    case Code::OrderMixed:
      return "order.mixed";
    case Code::OrderDeadlock:
      return "order.deadlock";
    case Code::OrderFormat:
      return "order.format";
    case Code::LayoutSyntax:
      return "layout.syntax";
    case Code::CsvSyntax:
      return "csv.syntax";
    case Code::CsvColumn:
      return "csv.column";
    case Code::CsvValue:
      return "csv.value";
    case Code::TraceSyntax:
      return "trace.syntax";
    case Code::TraceField:
      return "trace.field";
    case Code::TraceRanks:
      return "trace.ranks";
    case Code::TraceEmpty:
      return "trace.empty";
    case Code::OverlapShort:
      return "stage.overlapped.short";
    case Code::LimitStages:
      return "limit.stages";
    case Code::LimitMicrobatches:
      return "limit.microbatches";
    case Code::LimitOperations:
      return "limit.operations";
    case Code::LimitTime:
      return "limit.time";
    case Code::CapacityExceeded:
      return "memory.capacity";
    case Code::GradientNoReplicas:
      return "optimizer.gradient.no_replicas";
    case Code::UnitAmbiguous:
      return "unit.ambiguous";
    case Code::DevicePeak:
      return "device.peak";
    case Code::SetPath:
      return "set.path";
    case Code::SetValue:
      return "set.value";
    case Code::OutputExtension:
      return "output.extension";
    case Code::OutputIgnored:
      return "output.ignored";
    case Code::ExpectPath:
      return "expect.path";
    case Code::ExpectFailed:
      return "expect.failed";
  }
  return "internal";
}

std::string_view severity_text(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Info:
      return "info";
  }
  return "error";
}

namespace {

Diagnostic make(Severity severity, Code code, std::string path, std::string message,
                std::string hint) {
  Diagnostic d;
  d.code = code;
  d.severity = severity;
  d.path = std::move(path);
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

Diagnostic error(Code code, std::string path, std::string message, std::string hint) {
  return make(Severity::Error, code, std::move(path), std::move(message), std::move(hint));
}
Diagnostic warning(Code code, std::string path, std::string message, std::string hint) {
  return make(Severity::Warning, code, std::move(path), std::move(message), std::move(hint));
}
Diagnostic info(Code code, std::string path, std::string message, std::string hint) {
  return make(Severity::Info, code, std::move(path), std::move(message), std::move(hint));
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

void sort_by_place(Diagnostics& diagnostics) {
  sort_stably(diagnostics, [](const Diagnostic& a, const Diagnostic& b) {
    if (a.line != b.line) return a.line < b.line;
    if (a.column != b.column) return a.column < b.column;
    return a.severity < b.severity;
  });
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  // Long words are never a slip of the finger, and the distance is quadratic.
  constexpr std::size_t kLongestWord = 64;
  if (word.empty() || word.size() > kLongestWord) return "";
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::size_t best = limit + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace sluice
