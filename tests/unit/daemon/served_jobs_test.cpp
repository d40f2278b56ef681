#include "daemon/served_jobs.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/temp_dir.h"
#include "tests/unit/daemon/test_daemon.h"

namespace fulcrum::daemon {
namespace {

using testing::HasSubstr;

class ServedJobs : public testing::Test {
 protected:
  JobId add(Json spec, const std::string& name = "fashion") {
    spec["name"] = name;
    return store_.add(JobSpec::from_json(spec)->to_json(), std::nullopt, 1)->id;
  }
  static Json with_validation() {
    Json spec = test::training_spec();
    spec["validation"] = {{"dataset", spec.at("dataset")}};
    return spec;
  }
  static JobSpec serving(const Json& model) {
    Json spec = test::inference_spec();
    spec["model"] = model;
    return JobSpec::from_json(spec).value();
  }
  Error fault_of(const Json& model, std::optional<JobId> before = std::nullopt) {
    JobSpec spec = serving(model);
    const auto served = resolve_served(spec, store_, before);
    EXPECT_FALSE(served);
    return served ? Error{} : served.error();
  }

  test::TempDir dir_;
  JobStore store_ = JobStore::open(dir_ / "jobs.db").value();
};

TEST_F(ServedJobs, TheNewestOfTheNameLendsItsNetworkAndSeed) {
  add(test::training_spec());
  Json second = test::training_spec();
  second["model"] = {{"builtin", "mlp"}, {"num_classes", 7}};
  second["seed"] = 42;
  const auto id = add(second);
  add(test::training_spec(), "other");
  JobSpec spec = serving({{"job", "fashion"}});
  const auto served = resolve_served(spec, store_, std::nullopt);
  ASSERT_TRUE(served) << served.error().to_string();
  EXPECT_EQ((*served)->id, id);
  EXPECT_FALSE((*served)->gated);
  EXPECT_EQ(spec.model.builtin, "mlp");
  EXPECT_EQ(spec.model.num_classes, 7);
  EXPECT_EQ(spec.seed, 42U);
  EXPECT_FALSE(spec.model.served) << "it is a job like any other now";
}

TEST_F(ServedJobs, ThoseThatCameLaterDoNotCount) {
  const auto first = add(test::training_spec());
  const auto own = add(test::inference_spec(), "camera");
  const auto later = add(test::training_spec());
  JobSpec spec = serving({{"job", "fashion"}});
  EXPECT_EQ(resolve_served(spec, store_, own)->value().id, first);
  EXPECT_EQ(fault_of({{"job", later}}, own).code, ErrorCode::not_found);
}

TEST_F(ServedJobs, AreFoundByNumber) {
  const auto id = add(with_validation());
  JobSpec spec = serving({{"job", id}, {"gate", "validation"}});
  const auto served = resolve_served(spec, store_, std::nullopt);
  ASSERT_TRUE(served) << served.error().to_string();
  EXPECT_EQ((*served)->id, id);
  EXPECT_TRUE((*served)->gated);
}

TEST_F(ServedJobs, AnyOtherJobIsLeftAsItIs) {
  JobSpec spec = JobSpec::from_json(test::inference_spec()).value();
  EXPECT_FALSE(resolve_served(spec, store_, std::nullopt).value().has_value());
}

TEST_F(ServedJobs, WhatCannotBeServedIsRefused) {
  const auto training = add(test::training_spec());
  const auto camera = add(test::inference_spec(), "camera");
  Json language = test::training_spec();
  language["model"] = {{"torchscript", "/m.pt"}};
  language["loss"] = "in_model";
  add(language, "language");

  EXPECT_EQ(fault_of({{"job", "nobody"}}).code, ErrorCode::not_found);
  EXPECT_EQ(fault_of({{"job", "nobody"}}).field, "/model/job");
  EXPECT_EQ(fault_of({{"job", 99}}).code, ErrorCode::not_found);
  EXPECT_THAT(fault_of({{"job", camera}}).message, HasSubstr("is no training job"));
  EXPECT_EQ(fault_of({{"job", "camera"}}).code, ErrorCode::not_found);
  EXPECT_EQ(fault_of({{"job", training}, {"gate", "validation"}}).field, "/model/gate");
  EXPECT_EQ(fault_of({{"job", "language"}}).code, ErrorCode::unsupported);
}

TEST_F(ServedJobs, WhoHasEndedMustHaveLeftWeights) {
  const ServedTraining served{add(test::training_spec()), false};
  DaemonConfig config;
  config.state_dir = dir_.path();
  EXPECT_TRUE(check_has_weights(served, store_, config)) << "it may still learn";
  ASSERT_TRUE(store_.finish(served.id, {JobState::cancelled, {}, {}, {}}, 2));
  const auto none = check_has_weights(served, store_, config);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("is cancelled and has left no weights"));
  const auto directory = dir_ / ("checkpoints/" + std::to_string(served.id));
  std::filesystem::create_directories(directory);
  test::spill(directory + "/checkpoint-000000000001.ckpt", "weights");
  EXPECT_TRUE(check_has_weights(served, store_, config));
}

}  // namespace
}  // namespace fulcrum::daemon
