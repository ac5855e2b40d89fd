// A recorded run small enough to be counted by hand, in the formats that are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/traced_run.hpp"

namespace sluice_test {

/// One row, ms.
struct Row {
  /// F, B, I, W or U (update).
  char kind = 'F';
  int stage = 0;
  int microbatch = 0;
  double start = 0;
  double end = 0;
};

/// 1F1B, 2 stages, 2 microbatches: F 10, B 20, messages 1; updates of 5 and 3 begin 4 after the
/// last backward.
inline std::vector<Row> small_step() {
  return {{'F', 0, 0, 0, 10},   {'F', 0, 1, 10, 20}, {'F', 1, 0, 11, 21}, {'B', 1, 0, 21, 41},
          {'F', 1, 1, 41, 51},  {'B', 0, 0, 42, 62}, {'B', 1, 1, 51, 71}, {'B', 0, 1, 72, 92},
          {'U', 0, 0, 96, 101}, {'U', 1, 0, 96, 99}};
}

/// The step at each of `starts`, as rows of all ranks with their iteration.
struct Step {
  int iteration = 0;
  std::vector<Row> rows;
};
inline std::vector<Step> steps_at(const std::vector<Row>& step, const std::vector<double>& starts) {
  std::vector<Step> out;
  for (const double start : starts) {
    Step one{static_cast<int>(out.size()), step};
    for (Row& r : one.rows) {
      r.start += start;
      r.end += start;
    }
    out.push_back(one);
  }
  return out;
}

inline std::int64_t ns(double ms) {
  return static_cast<std::int64_t>(ms * 1e6);
}

inline sluice::OpKind kind_of(char letter) {
  using sluice::OpKind;
  switch (letter) {
    case 'F':
      return OpKind::Forward;
    case 'B':
      return OpKind::Backward;
    case 'I':
      return OpKind::InputGrad;
    case 'W':
      return OpKind::WeightGrad;
    default:
      return OpKind::Update;
  }
}

/// Rows of the stages that a rank holds: stage mod `ranks`. Its clock is `skew` ms late.
inline sluice::RankTrace rank_trace(const std::vector<Step>& steps, int rank, int ranks,
                                    double skew) {
  sluice::RankTrace out;
  out.source = "rank" + std::to_string(rank);
  out.rank = rank;
  for (const Step& s : steps) {
    for (const Row& r : s.rows) {
      if (r.stage % ranks != rank) continue;
      out.events.push_back({kind_of(r.kind), rank, r.stage, s.iteration, r.microbatch,
                            ns(r.start + skew), ns(r.end + skew)});
    }
  }
  return out;
}

inline std::string megatron_line(const Row& r, int rank, int iteration, double skew) {
  const char* phase = r.kind == 'F'   ? "FORWARD"
                      : r.kind == 'B' ? "BACKWARD"
                      : r.kind == 'I' ? "BACKWARD_B"
                      : r.kind == 'W' ? "BACKWARD_W"
                                      : "OPTIMIZER";
  return "{\"rank\": " + std::to_string(rank) + ", \"stage\": " + std::to_string(r.stage) +
         ", \"iteration\": " + std::to_string(iteration) +
         ", \"microbatch\": " + std::to_string(r.microbatch) +
         ", \"event_type\": \"compute\", \"phase\": \"" + phase +
         "\", \"start_wall_ns\": " + std::to_string(ns(r.start + skew)) +
         ", \"end_wall_ns\": " + std::to_string(ns(r.end + skew)) + ", \"device_id\": \"l4_" +
         std::to_string(rank) + "\", \"hostname\": \"h" + std::to_string(rank) + "\"}\n";
}

inline std::string megatron_text(const std::vector<Step>& steps, int rank, int ranks, double skew) {
  std::string out;
  for (const Step& s : steps) {
    for (const Row& r : s.rows) {
      if (r.stage % ranks == rank) out += megatron_line(r, rank, s.iteration, skew);
    }
  }
  return out;
}

inline std::string torch_event(const std::string& name, double start_ms, double end_ms,
                               const std::string& cat = "user_annotation", int tid = 1) {
  return "{\"ph\": \"X\", \"cat\": \"" + cat + "\", \"name\": \"" + name +
         "\", \"pid\": 1, \"tid\": " + std::to_string(tid) +
         ", \"ts\": " + std::to_string(start_ms * 1000) +
         ", \"dur\": " + std::to_string((end_ms - start_ms) * 1000) + "}";
}

inline std::string torch_document(int rank, const std::vector<std::string>& events) {
  std::string out =
      "{\"schemaVersion\": 1,\n\"distributedInfo\": {\"backend\": \"nccl\", "
      "\"rank\": " +
      std::to_string(rank) +
      ", \"world_size\": 2},\n"
      "\"traceEvents\": [\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1}";
  for (const std::string& e : events) out += ",\n" + e;
  return out + "\n]}\n";
}

inline std::string torch_text(const std::vector<Step>& steps, int rank, int ranks, double skew) {
  std::vector<std::string> events;
  for (const Step& s : steps) {
    for (const Row& r : s.rows) {
      if (r.stage % ranks != rank) continue;
      const std::string name =
          r.kind == 'U' ? "Optimizer.step#AdamW.step"
                        : "PP:" + std::to_string(r.stage) + r.kind + std::to_string(r.microbatch);
      events.push_back(torch_event(name, r.start + skew, r.end + skew, "gpu_user_annotation", 7));
    }
  }
  return torch_document(rank, events);
}

}  // namespace sluice_test
