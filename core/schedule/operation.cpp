#include "schedule/operation.hpp"

namespace sluice {

std::string_view kind_text(OpKind kind) {
  switch (kind) {
    case OpKind::Forward:
      return "F";
    case OpKind::Backward:
      return "B";
    case OpKind::InputGrad:
      return "I";
    case OpKind::WeightGrad:
      return "W";
    case OpKind::Overlapped:
      return "FB";
    case OpKind::Activation:
      return "activation";
    case OpKind::Gradient:
      return "gradient";
    case OpKind::AllReduce:
      return "allreduce";
    case OpKind::Update:
      return "update";
    case OpKind::Barrier:
      return "barrier";
    case OpKind::Failure:
      return "failure";
    case OpKind::Recompute:
      return "recompute";
    case OpKind::Checkpoint:
      return "checkpoint";
  }
  return "?";
}

}  // namespace sluice
