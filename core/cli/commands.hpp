// One function a command; each returns its exit code.
#pragma once

#include <string>
#include <vector>

namespace sluice::cli {

using Words = std::vector<std::string>;

int run_command(const Words& words);
int check_command(const Words& words);
int schedules_command(const Words& words);
int order_command(const Words& words);
int sweep_command(const Words& words);
int schema_command(const Words& words);
int presets_command(const Words& words);

}  // namespace sluice::cli
