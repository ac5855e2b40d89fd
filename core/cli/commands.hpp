// One function a command; each returns its exit code.
#pragma once

#include <string>
#include <vector>

#include "api/calibration_review.hpp"
#include "model/calibration.hpp"

namespace sluice::cli {

using Words = std::vector<std::string>;

int run_command(const Words& words);
int check_command(const Words& words);
int schedules_command(const Words& words);
int order_command(const Words& words);
int compare_command(const Words& words);
int import_command(const Words& words);
int sweep_command(const Words& words);
int plan_command(const Words& words);
int tune_command(const Words& words);
int learn_command(const Words& words);
int campaign_command(const Words& words);
int merge_command(const Words& words);
int montecarlo_command(const Words& words);
/// The rows of a sweep's file (`name`) that no other one beats in these columns, on standard
/// output; how many they are goes to standard error.
int print_front(const std::string& name, const std::string& csv, const std::string& columns);
int calibrate_command(const Words& words);
int validate_command(const Words& words);
/// `plot`: a file for the picture, "" for none.
int validate_published_command(const std::string& folder, const std::string& plot, bool json);
int calibrate_published_command(const std::string& folder);
int physics_command(const Words& words);
int schema_command(const Words& words);
int presets_command(const Words& words);

/// Fitted constants beside those of the preset, with their intervals where there are some.
void print_constants(Calibration fitted, Calibration before,
                     const std::vector<ConstantInterval>& intervals);

}  // namespace sluice::cli
