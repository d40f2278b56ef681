// The commands of 'fulcrumctl board', with a daemon that answers by a script.

#include <gmock/gmock.h>

#include "tests/unit/cli/scripted_program.h"

namespace fulcrum::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using BoardCommands = ScriptedProgramTest;

Json report(bool fit) {
  return {{"id", "agx-orin"}, {"name", "a board"}, {"fit", fit}, {"findings", Json::array()}};
}

TEST_F(BoardCommands, WithoutAWordTheBoardIsShown) {
  answers({{"id", "agx-orin"}});
  EXPECT_EQ(run({"board"}), 0) << err_;
  EXPECT_EQ(method(), "board.get");
  EXPECT_EQ(out_, "board  agx-orin\n");
}

TEST_F(BoardCommands, ShowIsTheSame) {
  answers({{"id", "agx-orin"}});
  EXPECT_EQ(run({"board", "show"}), 0) << err_;
  EXPECT_EQ(method(), "board.get");
  EXPECT_EQ(out_, "board  agx-orin\n");
}

TEST_F(BoardCommands, ModesAreAskedFor) {
  answers({{"from_catalogue", true}, {"presets", {{{"name", "MAXN"}, {"active", true}}}}});
  EXPECT_EQ(run({"board", "modes"}), 0) << err_;
  EXPECT_EQ(method(), "board.modes");
  EXPECT_THAT(out_, HasSubstr("MAXN"));
}

TEST_F(BoardCommands, SensorsAreAskedFor) {
  answers({{"temperature_c", 46.5}});
  EXPECT_EQ(run({"board", "sensors"}), 0) << err_;
  EXPECT_EQ(method(), "board.sensors");
  EXPECT_THAT(out_, HasSubstr("46.5"));
}

TEST_F(BoardCommands, WithJsonTheAnswerIsWhatTheDaemonSaid) {
  answers({{"temperature_c", 46.5}});
  EXPECT_EQ(run({"board", "sensors", "--json"}), 0) << err_;
  EXPECT_EQ(out_, "{\"temperature_c\":46.5}\n");
}

TEST_F(BoardCommands, ABoardThatIsFitIsZero) {
  answers(report(true));
  EXPECT_EQ(run({"board", "doctor"}), 0) << err_;
  EXPECT_EQ(method(), "board.doctor");
  EXPECT_THAT(out_, HasSubstr("can do its job here"));
}

TEST_F(BoardCommands, ABoardThatIsNotFitIsOneAndTheReportSaysWhy) {
  answers(report(false));
  EXPECT_EQ(run({"board", "doctor"}), 1);
  EXPECT_THAT(out_, HasSubstr("cannot do its job here"));
  EXPECT_EQ(err_, "");
}

TEST_F(BoardCommands, WithJsonABoardThatIsNotFitIsOneToo) {
  answers(report(false));
  EXPECT_EQ(run({"--json", "board", "doctor"}), 1);
  EXPECT_EQ(Json::parse(out_), report(false));
}

TEST_F(BoardCommands, TheDoctorWithoutADaemonSaysWhereElseToAsk) {
  const auto lost = run_cli({"--socket", "/nonexistent/s", "board", "doctor"}, {});
  EXPECT_EQ(lost.status, 3);
  EXPECT_THAT(lost.err, AllOf(HasSubstr("is fulcrumd running?"), HasSubstr("fulcrumd --doctor")));
}

}  // namespace
}  // namespace fulcrum::cli
