// What goes wrong in a cluster, as the user wrote it: outages, what is done about them, and parts
// that are slow for a time. In the units of its keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// What an outage of a device that computes costs beside its repair: the operation that ran, the
/// step, or all steps since the last checkpoint. A transfer is sent again in every case.
enum class Recovery : std::uint8_t { Operation, Step, Checkpoint };

/// A cable: both of its directions.
struct LinkEnds {
  std::string from;
  std::string to;

  bool operator==(const LinkEnds&) const = default;
};

/// Things meant by id; the one id "all" is everything of its kind.
struct Parts {
  std::vector<std::string> devices;
  std::vector<std::string> nodes;
  std::vector<std::string> switches;
  std::vector<LinkEnds> links;
  bool all_links = false;

  bool operator==(const Parts&) const = default;
};

/// `failure.sources[]`: each part by itself, by one law.
struct FailureSource {
  Parts parts;
  /// Mean time from a repair to the next failure; nothing when the times are given.
  std::optional<double> mtbf_hours;
  /// Of a Weibull life; 1 is exponential.
  double shape = 1;
  std::vector<double> at_ms;
  double repair_s = 0;

  bool operator==(const FailureSource&) const = default;
};

/// `failure.checkpoint`
struct CheckpointSection {
  /// Steps, or seconds at least, from one to the next, whichever come first; neither: only the
  /// start can be gone back to.
  std::int64_t every_steps = 0;
  std::optional<double> interval_s;
  /// For which all devices stop.
  double cost_s = 0;

  bool operator==(const CheckpointSection&) const = default;
};

/// `failure:`
struct FailureSection {
  bool enabled = false;
  /// The form of HOPS: a draw for every part at each check. 0: none.
  double check_interval_ms = 0;
  double device_failure_probability = 0;
  double link_failure_probability = 0;
  double recovery_time_ms = 0;

  std::vector<FailureSource> sources;
  Recovery recovery = Recovery::Operation;
  /// From the repair, or with a spare from the failure, until work goes on.
  double restart_s = 0;
  std::int64_t spares = 0;
  CheckpointSection checkpoint;

  bool operator==(const FailureSection&) const = default;
};

/// `campaign:` many steps with their failures, not one by one. Whichever comes first ends it.
struct CampaignSection {
  std::optional<double> hours;
  std::int64_t steps = 0;

  bool operator==(const CampaignSection&) const = default;
};

/// Slower and slower until a plateau: heat.
struct Drift {
  double to = 1;
  double over_ms = 0;

  bool operator==(const Drift&) const = default;
};

/// Slow for some time of each period: another job, a garbage collector.
struct Interference {
  double every_ms = 0;
  double for_ms = 0;
  double factor = 1;
  double offset_ms = 0;

  bool operator==(const Interference&) const = default;
};

/// Now and then an operation takes a multiple, drawn from a Pareto distribution of minimum 1.
struct SlowTail {
  double probability = 0;
  double alpha = 0;

  bool operator==(const SlowTail&) const = default;
};

/// `stragglers[]`: factors on the time that a part needs.
struct Straggler {
  Parts parts;
  /// Each part draws its own once, uniform between the two.
  double factor_low = 1;
  double factor_high = 1;
  std::optional<Drift> drift;
  std::optional<Interference> interference;
  std::optional<SlowTail> tail;

  bool operator==(const Straggler&) const = default;
};

}  // namespace sluice
