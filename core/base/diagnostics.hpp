// What is wrong (or worth saying) about something a user wrote, with its place. One type for every
// layer. The place in the text is filled in by io/, which alone knows the text; the layers below
// name the path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// Stable names; `code_text` gives the text that tests and the page rely on.
enum class Code {
  TextTooLarge,
  TextNotUtf8,
  TextControlCharacter,
  YamlSyntax,
  YamlTooDeep,
  YamlTooManyNodes,
  YamlDuplicateKey,
  YamlEmpty,
  YamlSeveralDocuments,
  YamlKeyNotText,
  KeyUnknown,
  KeyMissing,
  KeyConflict,
  TypeMapping,
  TypeList,
  TypeNumber,
  TypeInteger,
  TypeBoolean,
  TypeText,
  NumberSyntax,
  NumberRange,
  ValueRange,
  ValueChoice,
  ValueEmpty,
  IdDuplicate,
  IdCollision,
  ReferenceDevice,
  ReferencePreset,
  ReferenceSchedule,
  ReferenceNode,
  LinkMissing,
  LinkSelf,
  PresetKind,
  PresetUncertain,
  PolicySyntax,
  PolicySplit,
  ScheduleConstraint,
  ScheduleNeedsSearch,
  ScheduleParameter,
  OrderSyntax,
  OrderMissing,
  OrderUnknown,
  OrderDuplicate,
  OrderWrongRank,
  OrderMixed,
  OrderDeadlock,
  OrderFormat,
  LayoutSyntax,
  CsvSyntax,
  CsvColumn,
  CsvValue,
  TraceSyntax,
  TraceField,
  TraceRanks,
  TraceEmpty,
  OverlapShort,
  LimitStages,
  LimitMicrobatches,
  LimitOperations,
  LimitTime,
  CapacityExceeded,
  GradientNoReplicas,
  UnitAmbiguous,
  DevicePeak,
  SetPath,
  SetValue,
  OutputExtension,
  OutputIgnored,
  ExpectPath,
  ExpectFailed,
};

/// E.g. "key.unknown".
std::string_view code_text(Code code);

enum class Severity { Error, Warning, Info };
std::string_view severity_text(Severity severity);

struct Diagnostic {
  Code code = Code::YamlSyntax;
  Severity severity = Severity::Error;
  /// In the document, e.g. `pipeline.stages[2].device`; "" is the document.
  std::string path;
  /// What was found and what is allowed, in the user's terms.
  std::string message;
  /// What to do about it, or "".
  std::string hint;
  /// Text for [line:column, end_line:end_column) that mends it, or "".
  std::string fix;
  /// From 1, in characters; 0 while the place is unknown or not in the text.
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
  /// Whether the place is the key at `path` rather than its value.
  bool at_key = false;
};

using Diagnostics = std::vector<Diagnostic>;

Diagnostic error(Code code, std::string path, std::string message, std::string hint = "");
Diagnostic warning(Code code, std::string path, std::string message, std::string hint = "");
Diagnostic info(Code code, std::string path, std::string message, std::string hint = "");

bool has_errors(const Diagnostics& diagnostics);

/// By place, then errors before warnings; stable, so that equal places keep their order.
void sort_by_place(Diagnostics& diagnostics);

/// The candidate nearest to `word` by edit distance (at most a third of its length, ignoring case),
/// or "".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace sluice
