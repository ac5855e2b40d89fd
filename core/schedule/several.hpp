// Plans of independent pipelines as one: each is a pipe, on ranks of its own.
#pragma once

#include <string>
#include <vector>

#include "schedule/plan.hpp"

namespace sluice {

/// Ranks, stages and microbatches are counted on from plan to plan; shorter pipes are padded
/// (Placement::lengths). Each plan has a static order of one pipe and no slices, for one batch.
/// `names`: one a plan.
Plan put_together(const std::vector<Plan>& plans, std::vector<std::string> names);

}  // namespace sluice
