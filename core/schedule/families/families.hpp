// Every published schedule, one file each: what it says of itself, where its stages stand, and its
// order. The table in registry.cpp lists them.
#pragma once

#include "schedule/schedule_info.hpp"

namespace sluice {

// One chunk a rank.
ScheduleInfo gpipe();
ScheduleInfo one_f_one_b();
ScheduleInfo eager_1f1b();
ScheduleInfo zb_h1();
ScheduleInfo zb_h2();
ScheduleInfo zb_auto();
ScheduleInfo zb_2p();
ScheduleInfo seq_1f1b();

// Never drained.
ScheduleInfo pipedream();
ScheduleInfo pipedream_2bw();
ScheduleInfo paci();
ScheduleInfo amdp();

// Several chunks a rank.
ScheduleInfo interleaved_1f1b();
ScheduleInfo interleaved_1f1b_flex();
ScheduleInfo interleaved_zb1p();
ScheduleInfo looped_bfs();
ScheduleInfo zb_v();
ScheduleInfo zb_v_auto();
ScheduleInfo v_half();
ScheduleInfo v_min();
ScheduleInfo v_zb();
ScheduleInfo one_f_one_b_v();
ScheduleInfo group_interleaved();
ScheduleInfo dualpipe_v();
ScheduleInfo hanayo();

// Two copies of the weights.
ScheduleInfo dualpipe();
ScheduleInfo chimera();
ScheduleInfo gems();
ScheduleInfo bitpipe();

}  // namespace sluice
