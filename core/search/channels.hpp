// Whether ranks that really send and receive can run an order: messages between two ranks stay in
// the sender's order, receivers have so much room for them, and nobody waits in a ring.
#pragma once

#include <string>

#include "schedule/order.hpp"

namespace sluice {

struct ChannelRules {
  /// Messages from one rank to another that may be sent before the first of them is used. 0: a
  /// message is handed over only when the receiver stands in front of the operation that needs it.
  int buffers = 1;
  /// A rank computes nothing until its last message has been taken.
  bool blocking = false;
};

/// Empty when no ring of waiting is possible whatever the latencies; else the ring: which rank
/// waits in front of which operation for what. Precondition: `check_order` found nothing. A graph
/// of operations and messages with edges for program order, order on each channel, use, and room:
/// acyclic means free of deadlock. Cost: O(operations).
std::string channel_deadlock(const Order& order, const ChannelRules& rules);

/// The fewest buffers a channel with which asynchronous sends cannot deadlock. At least 1, at most
/// the microbatches times slices and chunks. Cost: O(operations log microbatches).
int buffers_needed(const Order& order);

}  // namespace sluice
