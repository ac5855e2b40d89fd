// Megatron JSONL, link_bench JSONL and PyTorch's Chrome trace: what is read, and what is refused
// where.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/link_bench.hpp"
#include "io/megatron_trace.hpp"
#include "io/torch_trace.hpp"
#include "measure/small_trace.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

// "line: message [code]" of each problem.
template <class T>
std::vector<std::string> problems(const Result<T>& read) {
  std::vector<std::string> out;
  if (read.ok()) return out;
  for (const Diagnostic& d : read.diagnostics())
    out.push_back(std::to_string(d.line) + ": " + d.message + " [" +
                  std::string(code_text(d.code)) + "]");
  return out;
}
using Texts = std::vector<std::string>;

std::string without(std::string line, const std::string& part, const std::string& by = "") {
  const std::size_t at = line.find(part);
  REQUIRE(at != std::string::npos);
  return line.replace(at, part.size(), by);
}

const Row kForward{'F', 0, 0, 1, 3};

std::string bench_row(int rank, double size, double p50, const std::string& label = "pair_0_1") {
  return "{\"label\": \"" + label + "\", \"mode\": \"p2p\", \"rank\": " + std::to_string(rank) +
         ", \"size_mb\": " + std::to_string(size) + ", \"p50_ms\": " + std::to_string(p50) + "}\n";
}

}  // namespace

TEST_SUITE("io/trace_readers") {
  TEST_CASE("Megatron: phases, transfers, blank lines, optional keys") {
    std::string text = "\n" + megatron_line(kForward, 4, 7, 0);
    text += without(megatron_line({'U', 0, 0, 5, 6}, 4, 7, 0), "\"microbatch\": 0, ");
    text += megatron_line({'I', 0, 1, 5, 6}, 4, 7, 0) + "\r\n" +
            megatron_line({'W', 0, 1, 6, 7}, 4, 7, 0);
    text += without(megatron_line({'B', 0, 0, 8, 9}, 4, 7, 0), "\"event_type\": \"compute\"",
                    "\"event_type\": \"transfer\", \"src_device\": \"a\", \"dst_device\": \"b\"");
    const auto read = read_megatron_trace(text);
    REQUIRE(read.ok());
    const RankTrace& r = read.value();
    CHECK(r.rank == 4);
    CHECK(r.device == "l4_4");
    CHECK(r.host == "h4");
    REQUIRE(r.events.size() == 5);
    CHECK(r.events[0].iteration == 7);
    CHECK(r.events[0].start_ns == 1'000'000);
    CHECK(r.events[0].end_ns == 3'000'000);
    CHECK(r.events[1].kind == OpKind::Update);
    CHECK(r.events[1].microbatch == -1);
    CHECK(r.events[2].kind == OpKind::InputGrad);
    CHECK(r.events[3].kind == OpKind::WeightGrad);
    CHECK(r.events[4].kind == OpKind::Gradient);
    CHECK_FALSE(r.events[4].computes());
  }
  TEST_CASE("Megatron: every problem with its line") {
    const std::string good = megatron_line(kForward, 0, 1, 0);
    CHECK(problems(read_megatron_trace(good + good.substr(0, 40))).front().substr(0, 26) ==
          "2: the line is no JSON: sy");
    CHECK(problems(read_megatron_trace(good + "[1]\n")) ==
          Texts{"2: the line is no JSON object [trace.syntax]"});
    for (const std::string key : {"rank", "stage", "iteration", "start_wall_ns", "end_wall_ns",
                                  "device_id", "event_type", "phase"}) {
      CHECK(problems(
                read_megatron_trace(good + "\n" + without(good, "\"" + key + "\"", "\"other\""))) ==
            Texts{"3: `" + key + "` is missing [trace.field]"});
    }
    CHECK(problems(read_megatron_trace(
              good + without(good, "\"end_wall_ns\": 3000000", "\"end_wall_ns\": 999999"))) ==
          Texts{"2: it ends at 999999 ns, before it starts at 1000000 [trace.field]"});
    CHECK(problems(read_megatron_trace(without(good, "\"stage\": 0", "\"stage\": -1"))) ==
          Texts{"1: `stage` is -1; a whole number from 0 to 2147483646 is needed [trace.field]"});
    CHECK(
        problems(read_megatron_trace(without(good, "\"stage\": 0", "\"stage\": \"x\""))) ==
        Texts{"1: `stage` is \"x\"; a whole number from 0 to 2147483646 is needed [trace.field]"});
    CHECK(problems(read_megatron_trace(without(good, "compute", "other"))) ==
          Texts{"1: `event_type` is \"other\"; it is compute or transfer [trace.field]"});
    CHECK(problems(read_megatron_trace(without(good, "FORWARD", "SIDEWAYS"))) ==
          Texts{"1: `phase` is \"SIDEWAYS\"; it is FORWARD, BACKWARD, BACKWARD_B, BACKWARD_W or "
                "OPTIMIZER [trace.field]"});
    // What would steer a terminal does not reach it.
    CHECK(problems(read_megatron_trace(without(good, "compute", "\\u001b[31m"))) ==
          Texts{"1: `event_type` is \"?[31m\"; it is compute or transfer [trace.field]"});
    CHECK(problems(read_megatron_trace(without(good, "compute", "transfer"))) ==
          Texts{"1: `src_device` is missing [trace.field]",
                "1: `dst_device` is missing [trace.field]"});
    CHECK(problems(read_megatron_trace(good + megatron_line(kForward, 1, 1, 0))) ==
          Texts{"2: rank 1 in a file of rank 0 [trace.ranks]"});
    CHECK(problems(read_megatron_trace(" \n")) == Texts{"1: no event in this file [trace.empty]"});
  }
  TEST_CASE("problems of many lines are collected, up to a limit") {
    const std::string bad = without(megatron_line(kForward, 0, 1, 0), "\"rank\": 0, ");
    std::string text;
    for (int i = 0; i < 3; ++i) text += bad;
    CHECK(problems(read_megatron_trace(text)).size() == 3);
    for (int i = 0; i < 40; ++i) text += bad;
    const Texts many = problems(read_megatron_trace(text));
    CHECK(many.size() == 21);
    CHECK(many.back() == "21: and more, which are not listed [trace.field]");
  }
  TEST_CASE("link bench: the sender's points by size, other lines skipped") {
    const auto read = read_link_bench(
        "NCCL version 2\n" + bench_row(0, 4, 3.5) + bench_row(1, 1, 9) + bench_row(0, 1, 0.5) +
        bench_row(0, 1, 2, "pair_12_3") + "{\"mode\": \"allreduce\", \"rank\": 0}\n");
    REQUIRE(read.ok());
    REQUIRE(read.value().size() == 2);
    const BenchedLink& link = read.value()[0];
    CHECK(link.to_stage == 1);
    REQUIRE(link.points.size() == 2);
    CHECK(link.points[0].size_MiB == 1);
    CHECK(link.points[0].time_ms == 0.5);
    CHECK(link.points[1].time_ms == 3.5);
    CHECK(read.value()[1].from_stage == 12);
  }
  TEST_CASE("link bench: what is refused") {
    CHECK(problems(read_link_bench("NCCL\n" + bench_row(1, 1, 2) + bench_row(1, 2, 3))) ==
          Texts{"2: pair_0_1 has no row of rank 0, which is the sender [trace.ranks]"});
    CHECK(problems(read_link_bench("NCCL\n")) ==
          Texts{"1: no p2p row in this link benchmark [trace.empty]"});
    CHECK(problems(read_link_bench(bench_row(0, 1, 2) + bench_row(0, 1, 3))) ==
          Texts{"2: pair_0_1 has a second row of 1 MiB [trace.field]"});
    CHECK(problems(read_link_bench(bench_row(0, 1, 2, "pair_0_0") + bench_row(0, 0, 2) +
                                   without(bench_row(0, 1, 2), "\"p50_ms\"", "\"p49_ms\""))) ==
          Texts{"1: `label` is \"pair_0_0\"; it is pair_I_J with two stages [trace.field]",
                "2: a message of 0 MiB in 2 ms [trace.field]",
                "3: `p50_ms` is missing [trace.field]"});
  }
  TEST_CASE("PyTorch: names of actions, iterations by repetition, several optimizers are one") {
    const auto read = read_torch_trace(torch_document(
        3, {torch_event("PP:1F0", 1, 2), torch_event("1I0", 2, 3), torch_event("PP:1W0", 3, 5),
            torch_event("PP:1RECV_F0", 0, 1), torch_event("1F", 0, 1),
            torch_event("aten::mm", 0, 1), torch_event("Optimizer.step#AdamW.step", 6, 7),
            torch_event("Optimizer.step#SGD.step", 7, 9), torch_event("PP:1F0", 11, 12.5)}));
    REQUIRE(read.ok());
    const RankTrace& r = read.value();
    CHECK(r.rank == 3);
    CHECK(r.host_times);
    REQUIRE(r.events.size() == 5);
    CHECK(r.events[0].stage == 1);
    CHECK(r.events[1].kind == OpKind::InputGrad);
    CHECK(r.events[2].kind == OpKind::WeightGrad);
    CHECK(r.events[3].kind == OpKind::Update);
    CHECK(r.events[3].end_ns == 9'000'000);
    CHECK(r.events[3].iteration == 0);
    CHECK(r.events[4].iteration == 1);
    CHECK(r.events[4].end_ns == 12'500'000);
  }
  TEST_CASE("PyTorch: the GPU's copy counts, on the stream that works most") {
    const std::string gpu = "gpu_user_annotation";
    const auto read = read_torch_trace(torch_document(
        0, {torch_event("Forward 0", 0, 9), torch_event("Forward 0", 4, 8, gpu, 7),
            torch_event("Forward 0", 2, 3, gpu, 20), torch_event("Backward 0", 9, 12),
            torch_event("Backward 0", 10, 13, gpu, 7),
            torch_event("Optimizer.step#Adam.step", 14, 15)}));
    REQUIRE(read.ok());
    const RankTrace& r = read.value();
    CHECK_FALSE(r.host_times);
    REQUIRE(r.events.size() == 3);
    CHECK(r.events[0].start_ns == 4'000'000);
    CHECK(r.events[0].stage == -1);
    CHECK(r.events[1].kind == OpKind::Backward);
    CHECK(r.events[1].start_ns == 10'000'000);
    // Its updates are the host's when the GPU has none.
    CHECK(r.events[2].start_ns == 14'000'000);
  }
  TEST_CASE("PyTorch: baseTimeNanoseconds, wherever it stands, and bare lists") {
    const std::string text = torch_document(0, {torch_event("0F0", 1, 2)});
    const auto read = read_torch_trace(
        without(text, "\n]}", "\n],\n\"baseTimeNanoseconds\": 1700000000000000000}"));
    REQUIRE(read.ok());
    CHECK(read.value().events[0].start_ns == 1'700'000'000'001'000'000);
    CHECK(problems(read_torch_trace("[" + torch_event("0F0", 1, 2) + "]")) ==
          Texts{"1: no `distributedInfo` with a `rank`: record with torch.distributed set up "
                "[trace.ranks]"});
  }
  TEST_CASE("PyTorch: what is refused, with the line") {
    const std::string good = torch_document(0, {torch_event("0F0", 1, 2)});
    CHECK(problems(read_torch_trace(torch_document(0, {torch_event("aten::mm", 1, 2)}))) ==
          Texts{"1: none of 2 events has a name of torch.distributed.pipelining (PP:0F3, 0F3, "
                "Forward 3) [trace.empty]"});
    CHECK(problems(read_torch_trace(without(good, "\"dur\"", "\"duration\""))) ==
          Texts{"5: `dur` is missing [trace.field]"});
    CHECK(problems(read_torch_trace(torch_document(0, {torch_event("0F0", 3, 2)}))) ==
          Texts{"5: `dur` is negative: it ends before it starts [trace.field]"});
    const Texts cut = problems(read_torch_trace(good.substr(0, good.size() - 30)));
    REQUIRE(cut.size() == 1);
    CHECK(cut.front().substr(0, 26) == "5: the file is no JSON: sy");
  }
}
