#include <gmock/gmock.h>

#include "cli/trace_document.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/cli/run_cli.h"
#include "tests/unit/daemon/server_thread.h"

namespace fulcrum::cli {
namespace {

using testing::HasSubstr;

Json slice(int job, const std::string& name, std::int64_t started_ns, std::int64_t ended_ns) {
  return {{"job", job},       {"name", name},       {"kind", "training"},       {"batch_size", 16},
          {"queued", 0},      {"why", "free_time"}, {"started_ns", started_ns}, {"ended_ns", ended_ns},
          {"device_ms", 1.25}};
}

TEST(ChromeTrace, HasARowForEachJobAndAnEventForEachSlice) {
  const Json trace =
      chrome_trace({slice(2, "fashion", 5'000'000, 7'000'000), slice(3, "", 7'500'000, 8'000'000),
                    slice(2, "fashion", 8'000'000, 9'000'000)});
  const Json& events = trace.at("traceEvents");
  std::vector<std::string> rows;
  std::vector<Json> slices;
  for (const auto& event : events) {
    if (event.at("ph") == "X") slices.push_back(event);
    if (event.at("name") == "thread_name") rows.push_back(event.at("args").at("name"));
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"fashion (job 2)", "job 3"}));
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[1].at("ts"), 2500.0) << "microseconds after the first";
  EXPECT_EQ(slices[1].at("dur"), 500.0);
  EXPECT_EQ(slices[1].at("tid"), 3);
  EXPECT_EQ(slices[0].at("args").at("why"), "free_time");
  EXPECT_EQ(slices[0].at("cat"), "training");
}

TEST(ChromeTrace, OfNothingIsATrace) {
  EXPECT_EQ(chrome_trace(Json::array()).at("traceEvents").size(), 1U);
}

TEST(ChromeTrace, StrangeSlicesMakeAStrangeTrace) {
  EXPECT_NO_THROW(chrome_trace(Json::array({3, Json::object(), {{"job", "x"}, {"started_ns", "y"}}})));
}

TEST(TraceCommand, FetchesAllPartsAndWritesAFile) {
  test::TempDir dir;
  test::ServerThread server;
  const std::string file = dir / "t.json";
  const auto result = run_cli({"--socket", server.path(), "trace", "--seconds", "3", "-o", file}, "");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("4 slices written to"));
  const auto trace = parse_json(test::slurp(file));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->at("traceEvents").size(), 1U + 4U + 4U) << "the process, four jobs, four slices";
}

TEST(TraceCommand, RefusesATimeThatIsNone) {
  test::ServerThread server;
  EXPECT_EQ(run_cli({"--socket", server.path(), "trace", "--seconds", "0"}, "").status, 2);
}

}  // namespace
}  // namespace fulcrum::cli
