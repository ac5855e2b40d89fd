// Strong 32-bit indices: containers are vectors indexed by id, entities never point at each other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

template <class Tag>
struct Id {
  std::uint32_t value = 0;
  constexpr auto operator<=>(const Id&) const = default;
  [[nodiscard]] constexpr std::size_t index() const { return value; }
};

using DeviceId = Id<struct DeviceTag>;
using LinkId = Id<struct LinkTag>;
using StageId = Id<struct StageTag>;
using RankId = Id<struct RankTag>;

}  // namespace sluice
