#include "base/check.hpp"

#include <stdexcept>
#include <string>

namespace sluice {

void fail_check(const char* condition, const char* file, int line) {
  throw std::logic_error("broken invariant `" + std::string(condition) + "` at " + file + ":" +
                         std::to_string(line));
}

}  // namespace sluice
