#include "cli/threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::cli {
namespace {

// Large enough that seeds of one point stay together and threads seldom meet, small enough that
// little is lost when a sweep is stopped.
constexpr std::uint64_t kItems = 32;
/// Blocks that may wait for a slow one before them, a thread.
constexpr std::uint64_t kAhead = 16;

class Deal {
 public:
  Deal(std::uint64_t first, std::uint64_t end, std::uint64_t threads)
      : first_(first), end_(end), most_ahead_(threads * kAhead) {}

  [[nodiscard]] std::uint64_t blocks() const { return (end_ - first_ + kItems - 1) / kItems; }
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t block) const {
    return first_ + block * kItems;
  }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t block) const {
    return std::min(end_, begin_of(block) + kItems);
  }

  void play(const std::function<Block()>& make) {
    try {
      const Block body = make();
      for (;;) {
        std::uint64_t block = 0;
        {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [&] { return stopped_ || next_ < taken_ + most_ahead_; });
          if (stopped_ || next_ >= blocks()) return;
          block = next_++;
        }
        Played played = body(begin_of(block), end_of(block));
        const std::lock_guard lock(mutex_);
        played_.emplace(block, std::move(played));
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!problem_) problem_ = std::current_exception();
      stopped_ = true;
      changed_.notify_all();
    }
  }

  /// What came of the next block in order; false when a thread has failed.
  bool await(Played& played) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || played_.count(taken_) > 0; });
    if (stopped_) return false;
    played = std::move(played_.extract(taken_++).mapped());
    changed_.notify_all();
    return true;
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] std::exception_ptr problem() const { return problem_; }

 private:
  std::uint64_t first_;
  std::uint64_t end_;
  std::uint64_t most_ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Played> played_;
  std::uint64_t next_ = 0;
  std::uint64_t taken_ = 0;
  bool stopped_ = false;
  std::exception_ptr problem_;
};

}  // namespace

int cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void in_blocks(std::uint64_t first, std::uint64_t end, int threads,
               const std::function<Block()>& make,
               const std::function<bool(const Played&, std::uint64_t)>& take) {
  if (first >= end) return;
  Deal deal(first, end, static_cast<std::uint64_t>(threads));
  std::vector<std::thread> players;
  std::exception_ptr own;
  try {
    const std::uint64_t wanted =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(threads), deal.blocks());
    for (std::uint64_t t = 0; t < wanted; ++t) players.emplace_back([&] { deal.play(make); });
    Played played;
    for (std::uint64_t block = 0; block < deal.blocks() && deal.await(played); ++block) {
      if (!take(played, deal.end_of(block) - first)) break;
    }
  } catch (...) {
    own = std::current_exception();
  }
  deal.stop();
  for (std::thread& player : players) player.join();
  if (own) std::rethrow_exception(own);
  if (deal.problem()) std::rethrow_exception(deal.problem());
}

}  // namespace sluice::cli
