// The file that a simulated board lives in.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using test::SimulatedBoard;
namespace node = test::node;

TEST(SimulatedState, ShowsWhatAnotherTreeChanged) {
  const SimulatedBoard board;
  const auto other = board.open_tree();
  ASSERT_TRUE(board.set(node::gpu_max, "318750000"));
  EXPECT_EQ(other->read(node::gpu_max).value(), "318750000\n");
  ASSERT_TRUE(other->write(node::gpu_max, "420750000"));
  EXPECT_EQ(board.get(node::gpu_max), "420750000");
}

TEST(SimulatedState, OutlivesTheTree) {
  SimulatedBoard board;
  ASSERT_TRUE(board.set(node::online(5), "0"));
  board.tree.reset();
  EXPECT_EQ(board.open_tree()->read(node::online(5)).value(), "0\n");
}

TEST(SimulatedState, IsNotOverwrittenByCreate) {
  const SimulatedBoard board;
  EXPECT_EQ(SimulatedFileTree::create(board.state_path(), "agx-orin", board.clock).error().code,
            ErrorCode::already_exists);
}

TEST(SimulatedState, NeedsAKnownBoard) {
  const SimulatedBoard board;
  const auto created = SimulatedFileTree::create(board.directory / "x", "agx-orim", board.clock);
  EXPECT_EQ(created.error().code, ErrorCode::not_found);
  EXPECT_EQ(created.error().hint, "did you mean 'agx-orin'?");
}

TEST(SimulatedState, ThatIsAbsentSaysHowToMakeOne) {
  const SimulatedBoard board;
  const auto opened = SimulatedFileTree::open(board.directory / "absent", board.clock);
  EXPECT_EQ(opened.error().code, ErrorCode::not_found);
  EXPECT_TRUE(test::contains(opened.error().hint, "create"));
}

TEST(SimulatedState, ThatIsRubbishIsCorrupt) {
  const SimulatedBoard board;
  const std::string good = test::slurp(board.state_path());
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{\"board\": 7}"),
        std::string("{\"board\": \"nano\"}"), std::string("{\"board\": \"agx-orin\"}"),
        good.substr(0, good.size() / 2)}) {
    test::spill(board.state_path(), text);
    EXPECT_EQ(SimulatedFileTree::open(board.state_path(), board.clock).error().code, ErrorCode::corrupt)
        << text;
    EXPECT_EQ(board.tree->read(node::gpu_max).error().code, ErrorCode::corrupt) << text;
  }
}

TEST(SimulatedState, RefusesValuesThatAreNotOfTheBoard) {
  const SimulatedBoard board;
  const Json good = Json::parse(test::slurp(board.state_path()));
  const auto code_with = [&](const char* key, const Json& value) {
    Json json = good;
    json[key] = value;
    test::spill(board.state_path(), json.dump());
    const auto opened = SimulatedFileTree::open(board.state_path(), board.clock);
    return opened ? ErrorCode::internal : opened.error().code;
  };
  EXPECT_EQ(code_with("cpu_online", {true, true}), ErrorCode::corrupt);
  EXPECT_EQ(code_with("cpu_online", std::vector<bool>(12, false)), ErrorCode::corrupt);
  EXPECT_EQ(code_with("cpu_clusters_khz", Json::array()), ErrorCode::corrupt);
  EXPECT_EQ(code_with("clocks", {{0, {0, 1, 1, 1}, {1, 1, 1, 1}}}), ErrorCode::corrupt);
  EXPECT_EQ(code_with("load", "soon busy\n"), ErrorCode::corrupt);
  EXPECT_EQ(code_with("temperatures", {46500}), ErrorCode::corrupt);
  EXPECT_EQ(code_with("temperatures", std::vector<std::string>(9, "hot")), ErrorCode::corrupt);
  EXPECT_EQ(code_with("over_current_events", {1, 2}), ErrorCode::corrupt);
  EXPECT_EQ(code_with("over_current_events", {1, 2, -3}), ErrorCode::corrupt);
  EXPECT_EQ(code_with("format", 2), ErrorCode::corrupt);
}

TEST(SimulatedState, FromBeforeItHadSensorsHasThemAsAfterBoot) {
  const SimulatedBoard board;
  Json json = Json::parse(test::slurp(board.state_path()));
  ASSERT_EQ(json.erase("temperatures"), 1U);
  ASSERT_EQ(json.erase("over_current_events"), 1U);
  test::spill(board.state_path(), json.dump());
  const auto state = board.open_tree()->state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->temperatures, board.tree->state()->temperatures);
  EXPECT_EQ(state->temperatures.front(), 46500);
  EXPECT_EQ(state->over_current_events.back(), 0);
}

TEST(SimulatedState, RebootResetsKnobsAndChangesTheBootId) {
  const SimulatedBoard board;
  const std::string before = board.get("/proc/sys/kernel/random/boot_id");
  ASSERT_TRUE(board.set(node::gpu_max, "318750000"));
  ASSERT_TRUE(board.tree->reboot());
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
  EXPECT_NE(board.get("/proc/sys/kernel/random/boot_id"), before);
  EXPECT_EQ(before.size(), 36U);
}

TEST(SimulatedState, SurvivesAWriterThatIsKilled) {
  const SimulatedBoard board;
  for (int round = 0; round < 20; ++round) {
    int started[2];
    ASSERT_EQ(::pipe(started), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto tree = board.open_tree();
      for (int i = 0;; ++i) {
        if (i == round && ::write(started[1], "x", 1) != 1) std::_Exit(1);
        if (!tree->write(node::emc_cap, std::to_string(i))) std::_Exit(1);
      }
    }
    ::close(started[1]);
    char byte = 0;
    ASSERT_EQ(::read(started[0], &byte, 1), 1);
    ::close(started[0]);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_TRUE(board.tree->read(node::emc_cap));
    EXPECT_TRUE(board.tree->write(node::emc_cap, "0"));
  }
}

}  // namespace
}  // namespace fulcrum
