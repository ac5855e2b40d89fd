// Work dealt to threads, its results taken in order. Natively only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sluice::cli {

/// What came of a block of items.
struct Played {
  std::string text;
  std::uint64_t failed = 0;
};

/// Plays items first, first + 1, ... up to but without `end`.
using Block = std::function<Played(std::uint64_t first, std::uint64_t end)>;

/// Cores of this machine, at least 1.
int cores();

/// Items from `first` up to `end`, in blocks: `make` is called once a thread, for something of its
/// own that plays them; `take` gets what came of them in order, on the calling thread, and how many
/// items are through; it answers whether to go on. What it gets is the same for any number of
/// threads.
void in_blocks(std::uint64_t first, std::uint64_t end, int threads,
               const std::function<Block()>& make,
               const std::function<bool(const Played& played, std::uint64_t through)>& take);

}  // namespace sluice::cli
