#include "daemon/config.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "daemon/config_keys.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/daemon/generated_file.h"

namespace fulcrum::daemon {
namespace {

using test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> faults_of(const std::string& text) {
  const auto config = parse_config(text, "f.yaml");
  std::vector<std::string> texts;
  if (config) return texts;
  for (const auto& fault : config.error())
    texts.push_back(fault.to_string());
  return texts;
}

DaemonConfig parsed(const std::string& text) {
  auto config = parse_config(text, "f.yaml");
  EXPECT_TRUE(config) << (config ? "" : config.error().front().to_string());
  return config.value_or(DaemonConfig{});
}

TEST(Config, AnEmptyFileGivesTheDefaults) {
  EXPECT_EQ(parsed("").state_dir, "/var/lib/fulcrum");
  EXPECT_EQ(parsed("# only a comment\n").control_socket(), "/run/fulcrum/control.sock");
}

TEST(Config, TakesEveryStrategyByItsNameAndNumber) {
  for (const std::string name : {"gmd", "exhaustive", "als", "als-12", "als12", "nn-250"})
    EXPECT_EQ(parsed("scheduler: {strategy: " + name + "}").scheduler.strategy, name);
  for (const std::string name : {"als-N", "als-0", "nn", "gmd-3", "fast"})
    EXPECT_EQ(faults_of("scheduler: {strategy: " + name + "}").size(), 1U) << name;
}

TEST(Config, ReadsEveryKindOfKey) {
  const auto config = parsed(
      "state_dir: /tmp/s\nlog_level: debug\nboard: simulated:agx-orin\nmode: MODE_30W\n"
      "worker: {user: nobody, threads: 3, ready_timeout_s: 2.5}\nrpc:\n  max_clients: 7\n  group: \"\"\n");
  EXPECT_EQ(config.state_dir, "/tmp/s");
  EXPECT_EQ(config.log_level, "debug");
  EXPECT_EQ(config.simulated_state_path(), "/tmp/s/board.json");
  EXPECT_EQ(std::get<std::string>(config.mode), "MODE_30W");
  EXPECT_EQ(config.worker.user, "nobody");
  EXPECT_EQ(config.worker.threads, 3);
  EXPECT_EQ(config.worker.ready_timeout_s, 2.5);
  EXPECT_EQ(config.rpc.max_clients, 7);
  EXPECT_EQ(config.rpc.group, "");
}

TEST(Config, ReadsAModeAsFourKnobs) {
  const auto config = parsed("mode: {cpu_cores: 8, cpu_khz: 1728000, gpu_hz: 612000000, emc_hz: 3199000000}");
  const auto& mode = std::get<PowerMode>(config.mode);
  EXPECT_EQ(mode.cpu_cores, 8);
  EXPECT_EQ(mode.emc_hz, 3199000000);
}

TEST(Config, AnIncompleteModeNamesEveryKnobThatIsMissing) {
  EXPECT_THAT(faults_of("mode: {cpu_cores: 8, cpu_khz: 1728000}"),
              ElementsAre("f.yaml:1:7: 'mode.gpu_hz' is missing", "f.yaml:1:7: 'mode.emc_hz' is missing"));
}

TEST(Config, AnUnknownKeyIsToldWithItsPlaceAndTheNearestName) {
  EXPECT_THAT(faults_of("rpc:\n  max_cilents: 3\n"),
              ElementsAre("f.yaml:2:3: unknown key 'rpc.max_cilents' (did you mean 'max_clients'?)"));
}

TEST(Config, AllFaultsAreToldAtOnce) {
  EXPECT_THAT(
      faults_of(
          "state_dir: relative\nlog_level: loud\nrpc: {max_clients: 0, idle_timeout_s: soon}\nworker: 3\n"),
      ElementsAre("f.yaml:1:12: 'state_dir' must be an absolute path, is 'relative'",
                  "f.yaml:2:12: 'log_level' must be one of trace, debug, info, warn, error, is 'loud'",
                  "f.yaml:3:20: 'rpc.max_clients' must be from 1 to 1024, is 0",
                  "f.yaml:3:39: 'rpc.idle_timeout_s' must be a number, is 'soon'",
                  "f.yaml:4:9: 'worker' must be a map of keys and values, is '3'"));
}

TEST(Config, AKeyGivenTwiceIsAFault) {
  EXPECT_THAT(faults_of("log_level: info\nlog_level: debug\n"),
              ElementsAre("f.yaml:2:1: 'log_level' is given twice (keep one of them)"));
}

TEST(Config, AQuotedNumberIsNoNumber) {
  EXPECT_THAT(faults_of("rpc: {max_clients: \"7\"}"),
              ElementsAre(HasSubstr("must be a whole number, is '7'")));
}

TEST(Config, NumbersWithTrailingTextAreRefused) {
  EXPECT_THAT(faults_of("rpc: {max_clients: 7x}"), ElementsAre(HasSubstr("must be a whole number, is '7x'")));
  EXPECT_THAT(faults_of("scheduler: {margin_ms: nan}"), ElementsAre(HasSubstr("must be a number, is 'nan'")));
}

TEST(Config, TextThatIsNoYamlIsToldWithItsPlace) {
  EXPECT_THAT(faults_of("rpc: {max_clients: 7\n"), ElementsAre(HasSubstr("not valid YAML")));
  EXPECT_THAT(faults_of("just words"), ElementsAre(HasSubstr("must be a map of keys and values")));
}

TEST(Config, ASecondDocumentIsAFault) {
  EXPECT_THAT(faults_of("log_level: info\n---\nlog_level: debug\n"),
              ElementsAre(HasSubstr(":2:1: a second YAML document begins here")));
}

TEST(Config, AStrayCommaIsAFault) {  // yaml-cpp takes it for documents without end
  EXPECT_THAT(faults_of(",1"), ElementsAre(HasSubstr(":1:1: a second YAML document begins here")));
}

TEST(Config, ANamedFileThatIsMissingIsAFault) {
  const TempDir dir;
  const auto config = load_config({dir / "none.yaml", {}, {}, {}});
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().front().to_string(), HasSubstr("none.yaml': No such file"));
}

TEST(Config, FlagsStandAboveTheFile) {
  const TempDir dir;
  test::spill(dir / "c.yaml", "state_dir: /a\nruntime_dir: /b\nlog_level: info\n");
  const auto config = load_config({dir / "c.yaml", "/x", "/y", "debug"});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->state_dir, "/x");
  EXPECT_EQ(config->runtime_dir, "/y");
  EXPECT_EQ(config->log_level, "debug");
}

TEST(Config, ARelativeFlagIsAFault) {
  const TempDir dir;
  test::spill(dir / "c.yaml", "");
  const auto config = load_config({dir / "c.yaml", "x", {}, {}});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().front().message, "--state-dir must be an absolute path, is 'x'");
}

TEST(Config, ARuntimeDirectoryTooLongForASocketIsAFault) {
  const TempDir dir;
  test::spill(dir / "c.yaml", "");
  const auto config = load_config({dir / "c.yaml", {}, "/" + std::string(120, 'd'), {}});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().front().code, ErrorCode::limit_exceeded);
}

TEST(Config, TheInstalledFileIsWhatTheTableSays) {
  EXPECT_TRUE(test::is_up_to_date("config/fulcrumd.yaml", render_default_config()));
}

TEST(Config, TheInstalledFileHoldsTheDefaults) {
  const auto config = parsed(render_default_config());
  const DaemonConfig defaults;
  EXPECT_EQ(config.state_dir, defaults.state_dir);
  EXPECT_EQ(config.mode, defaults.mode);
  EXPECT_EQ(config.worker.user, defaults.worker.user);
  EXPECT_EQ(config.rpc.write_queue_bytes, defaults.rpc.write_queue_bytes);
  EXPECT_EQ(config.rpc.idle_timeout_s, defaults.rpc.idle_timeout_s);
  EXPECT_EQ(config.scheduler.margin_ms, defaults.scheduler.margin_ms);
}

}  // namespace
}  // namespace fulcrum::daemon
