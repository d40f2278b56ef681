#include "powermode/simulated_workloads.h"

#include <gtest/gtest.h>

#include <cmath>

#include "powermode/embedded_text.h"
#include "powermode/simulated_load.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
using test::kMaxn;

namespace {

constexpr PowerMode kSmall{4, 1113600, 318750000, 2133000000};

SimulatedWorkloads workloads() {
  return *SimulatedWorkloads::builtin("agx-orin");
}

TEST(SimulatedWorkloads, KnowItsClasses) {
  EXPECT_EQ(workloads().class_names(), (std::vector<std::string>{"detector", "heavy-cnn", "light-cnn"}));
}

TEST(SimulatedWorkloads, HeavyCnnTrainingAtMaxnFollowsTheFormulas) {
  const double f_c = 2.2016;
  const double f_g = 1.3005;
  const double f_m = 3.199;
  const double c = 89.3 / f_c * std::pow(4.0 / 12, 0.76);
  const double g = 52.8 / f_g;
  const double e = 125.7 / f_m;
  const double t = 4.77 + std::pow(std::pow(c, 2.65) + std::pow(g, 2.65) + std::pow(e, 2.65), 1 / 2.65);
  const double p = 13.29 + 0.62 * f_m + 0.61 * f_c * f_c + 28.4 * (g / t) * std::pow(f_g, 1.54);
  EXPECT_NEAR(workloads().step_time_ms("heavy-cnn", WorkloadTask::training, 16, kMaxn).value(), t, 1e-9);
  EXPECT_NEAR(workloads().busy_power_w("heavy-cnn", WorkloadTask::training, 16, kMaxn).value(), p, 1e-9);
}

TEST(SimulatedWorkloads, DetectorTrainingCountsCoresInItsPower) {
  const double f_c = 1.1136;
  const double c = 330 / f_c;  // 4 cores
  const double g = 91.9 / 0.31875;
  const double e = 206.8 / 2.133;
  const double t = 24.4 + std::pow(std::pow(c, 2.12) + std::pow(g, 2.12) + std::pow(e, 2.12), 1 / 2.12);
  const double p = 12.40 + 0.54 * 2.133 + 0.56 * f_c * f_c + 0.017 * 4 * f_c * f_c +
                   9.0 * (g / t) * std::pow(0.31875, 2.59);
  EXPECT_NEAR(workloads().step_time_ms("detector", WorkloadTask::training, 16, kSmall).value(), t, 1e-9);
  EXPECT_NEAR(workloads().busy_power_w("detector", WorkloadTask::training, 16, kSmall).value(), p, 1e-9);
}

TEST(SimulatedWorkloads, OtherBatchSizesScaleWhatIsNotFixed) {
  const auto known = workloads();
  const double at_16 = known.step_time_ms("heavy-cnn", WorkloadTask::training, 16, kMaxn).value() - 4.77;
  EXPECT_NEAR(known.step_time_ms("heavy-cnn", WorkloadTask::training, 32, kMaxn).value(), 4.77 + 2 * at_16,
              1e-9);
  EXPECT_NEAR(known.step_time_ms("heavy-cnn", WorkloadTask::training, 4, kMaxn).value(), 4.77 + at_16 / 4,
              1e-9);
  const double light_16 = known.step_time_ms("light-cnn", WorkloadTask::inference, 16, kMaxn).value() - 5.28;
  EXPECT_NEAR(known.step_time_ms("light-cnn", WorkloadTask::inference, 64, kMaxn).value(),
              5.28 + 4 * light_16, 1e-9);
}

TEST(SimulatedWorkloads, BatchSizesBetweenTwoKnownOnesLieOnTheLine) {
  const auto known = workloads();
  const auto time = [&](int batch) {
    return known.step_time_ms("light-cnn", WorkloadTask::inference, batch, kSmall).value();
  };
  const auto power = [&](int batch) {
    return known.busy_power_w("light-cnn", WorkloadTask::inference, batch, kSmall).value();
  };
  EXPECT_NEAR(time(4), time(1) + 3.0 / 15 * (time(16) - time(1)), 1e-9);
  EXPECT_NEAR(power(4), power(1) + 3.0 / 15 * (power(16) - power(1)), 1e-9);
}

TEST(SimulatedWorkloads, DetectorInferenceIsLikeHeavyCnns) {
  const auto known = workloads();
  EXPECT_EQ(known.step_time_ms("detector", WorkloadTask::inference, 8, kMaxn).value(),
            known.step_time_ms("heavy-cnn", WorkloadTask::inference, 8, kMaxn).value());
}

TEST(SimulatedWorkloads, IdleDrawsLessThanAnyWork) {
  const auto known = workloads();
  for (const auto& mode : {kMaxn, kSmall, PowerMode{1, 115200, 114750000, 204000000}}) {
    for (const auto& name : known.class_names()) {
      for (const auto task : {WorkloadTask::training, WorkloadTask::inference}) {
        EXPECT_LT(known.idle_power_w(mode), known.busy_power_w(name, task, 1, mode).value()) << name;
      }
    }
  }
  EXPECT_LT(known.idle_power_w(kSmall), known.idle_power_w(kMaxn));
}

TEST(SimulatedWorkloads, RefuseWhatTheyDoNotKnow) {
  const auto known = workloads();
  const auto unknown = known.step_time_ms("transformer", WorkloadTask::training, 16, kMaxn);
  EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
  EXPECT_EQ(unknown.error().hint, "known classes: detector, heavy-cnn, light-cnn");
  EXPECT_FALSE(known.step_time_ms("heavy-cnn", WorkloadTask::training, 0, kMaxn));
  EXPECT_FALSE(known.busy_power_w("heavy-cnn", WorkloadTask::training, 16, PowerMode{}));
  EXPECT_EQ(SimulatedWorkloads::builtin("nono").error().code, ErrorCode::not_found);
}

TEST(SimulatedWorkloads, FileErrorsTellTheLine) {
  std::string text(powermode::embedded_text("agx-orin-workloads.yaml"));
  text.replace(text.find("task: training"), 14, "task: trainin");
  const auto error = SimulatedWorkloads::parse(text, "w.yaml").error();
  EXPECT_EQ(error.message.substr(0, 10), "w.yaml:8:1");
}

TEST(LoadEdges, SurviveFormatting) {
  const std::vector<SimulatedLoadEdge> edges{{5, true, "heavy-cnn", WorkloadTask::inference, 4},
                                             {9, false, "", {}, 0}};
  const std::string text = format_load_edges(edges);
  EXPECT_EQ(text, "5 busy heavy-cnn inference 4\n9 idle\n");
  EXPECT_EQ(format_load_edges(parse_load_edges(text).value()), text);
}

TEST(LoadEdges, RefuseRubbish) {
  for (const char* text :
       {"busy\n", "5\n", "5 asleep\n", "5 busy heavy-cnn\n", "5 busy heavy-cnn resting 4\n",
        "5 busy heavy-cnn training 0\n", "5 busy heavy-cnn training x\n", "5 idle now\n", "\n",
        "99999999999999999999 idle\n"}) {
    EXPECT_EQ(parse_load_edges(text).error().code, ErrorCode::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace fulcrum
