// The one description of the scenario file. `describe` walks the fields of a Scenario with a
// visitor: the reader fills them from YAML, the schema writer turns them into a JSON Schema, the
// printer writes them back. So help and parser cannot disagree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/function_ref.hpp"
#include "base/inline_function.hpp"
#include "model/scenario.hpp"

namespace sluice {

/// A key and what the page says about it. An empty name means the node itself (an item of a list, a
/// bare scalar).
struct Key {
  std::string_view name;
  std::string_view doc;
  std::string_view unit = "";
  bool required = false;
};

/// Bounds of a number, both inclusive unless `above` (then `low` itself is refused).
struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool above = false;
};

inline constexpr Range kPositive{0, 1e15, true};
inline constexpr Range kNonNegative{0, 1e15, false};
inline constexpr Range kShare{0, 1, false};

/// One word of a choice and what it means.
struct Word {
  std::string_view text;
  std::string_view doc;
};

class Fields;
using Members = FunctionRef<void(Fields&)>;

enum class Shape : std::uint8_t { Scalar, List, Map };

/// One of several forms a value may take, told apart by its shape.
struct Form {
  Shape shape;
  InlineFunction<void(Fields&)> members;
};

/// The visitor. Each call names a key of the current mapping and the member it belongs to; it
/// returns whether the key is there (readers) or always true (writers of schemas).
class Fields {
 public:
  Fields() = default;
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  virtual ~Fields() = default;

  virtual bool number(const Key& key, double& value, const Range& range) = 0;
  virtual bool integer(const Key& key, std::int64_t& value, const Range& range) = 0;
  virtual bool boolean(const Key& key, bool& value) = 0;
  /// Text; a plain number counts as text (ids, sockets).
  virtual bool text(const Key& key, std::string& value) = 0;
  virtual bool choice(const Key& key, std::size_t& index, std::span<const Word> words) = 0;
  virtual bool object(const Key& key, Members members) = 0;
  /// A list of `size` items: `resize` is told how many, `item` describes one.
  virtual bool list(const Key& key, std::size_t size, FunctionRef<void(std::size_t)> resize,
                    FunctionRef<void(Fields&, std::size_t)> item) = 0;
  /// One of several forms; `current` is the index of the one that the value has now.
  virtual bool one_of(const Key& key, std::size_t current, std::span<const Form> forms) = 0;

  /// Of the named keys of this mapping exactly one must be there (`required`), or at most one.
  virtual void exclusive(std::span<const std::string_view> names, bool required) = 0;
  /// Whether every form is wanted (a schema), not only the one that the values have.
  [[nodiscard]] virtual bool documenting() const = 0;
  /// Says before an optional member whether its value is set; printers leave out what is not.
  virtual void present(bool is_set) = 0;

  template <class E>
  bool choice_of(const Key& key, E& value, std::span<const Word> words) {
    auto index = static_cast<std::size_t>(value);
    const bool found = choice(key, index, words);
    value = static_cast<E>(index);
    return found;
  }

  template <class T>
  bool list_of(const Key& key, std::vector<T>& items, FunctionRef<void(Fields&, T&)> item) {
    return list(
        key, items.size(), [&](std::size_t size) { items.resize(size); },
        [&](Fields& f, std::size_t i) { item(f, items[i]); });
  }

  bool optional_number(const Key& key, std::optional<double>& value, const Range& range) {
    double written = value.value_or(0);
    present(value.has_value());
    if (!number(key, written, range)) return false;
    value = written;
    return true;
  }
  bool optional_text(const Key& key, std::string& value) {
    present(!value.empty());
    return text(key, value);
  }
};

void describe(Fields& fields, Scenario& scenario);

/// A distribution, as a mapping {type, ...}; a bare number of ms is a constant.
bool describe_distribution(Fields& fields, const Key& key, Distribution& distribution);
bool describe_distribution(Fields& fields, const Key& key,
                           std::optional<Distribution>& distribution);

// The sections, one file each.
/// `planned`: stages, devices and microbatches are what a plan looks for.
/// `several`: they follow from each pipeline's share of the batch.
void describe_simulation(Fields& fields, SimulationSection& simulation, bool planned, bool several);
void describe_pipeline(Fields& fields, PipelineSection& pipeline, bool planned);
void describe_plan(Fields& fields, std::optional<PlanSection>& plan);
void describe_model(Fields& fields, ModelShape& model);
void describe_recompute(Fields& fields, Recompute& recompute);
void describe_stage_recompute(Fields& fields, std::optional<Recompute>& recompute);
/// `partitioned`: its layers come from `partition`, so it names neither layers nor times.
void describe_stage(Fields& fields, StageSpec& stage, bool partitioned);
void describe_schedule(Fields& fields, ScheduleChoice& choice, bool planned);
void describe_pipelines(Fields& fields, std::vector<PipelineEntry>& pipelines);
bool describe_gradient_sync(Fields& fields, GradientSync& sync);
void describe_hardware(Fields& fields, HardwareSection& hardware, bool planned);
void describe_optimizer(Fields& fields, OptimizerSection& optimizer);
void describe_failure(Fields& fields, FailureSection& failure);
void describe_campaign(Fields& fields, std::optional<CampaignSection>& campaign);
void describe_stragglers(Fields& fields, std::vector<Straggler>& stragglers);
void describe_output(Fields& fields, OutputSection& output);
void describe_overrides(Fields& fields, Scenario& scenario);
void describe_expectation(Fields& fields, Expectation& expectation);

}  // namespace sluice
