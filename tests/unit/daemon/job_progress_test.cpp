#include "daemon/job_progress.h"

#include <gtest/gtest.h>

namespace fulcrum::daemon {
namespace {

Json at_epoch(int epoch, bool validating = false) {
  return {{"epoch", epoch}, {"validating", validating}, {"train_loss", 0.5}, {"validations", Json::array()}};
}

TEST(DeviceUse, IsKeptInTheProgress) {
  DeviceUse use = DeviceUse::in(Json::object());
  use.add(2, 10);
  use.add(1, 20);
  Json progress{{"epoch", 1}};
  use.write_to(progress);
  EXPECT_EQ(progress, Json({{"epoch", 1}, {"device_s", 3.0}, {"energy_j", 40.0}}));
  EXPECT_EQ(DeviceUse::in(progress).energy_j, 40);
  EXPECT_EQ(DeviceUse::in(Json()).time_s, 0);
  EXPECT_EQ(DeviceUse::in({{"device_s", "long"}}).time_s, 0);
}

TEST(EpochSince, IsOneThatHasBeenCompleted) {
  EXPECT_FALSE(epoch_since(at_epoch(1), at_epoch(1)));
  EXPECT_FALSE(epoch_since(at_epoch(1), at_epoch(2, true))) << "its validation is under way";
  EXPECT_FALSE(epoch_since(Json::object(), {{"served", 3}})) << "not training";
  EXPECT_EQ(epoch_since(Json::object(), at_epoch(1)), Json({{"epoch", 1}, {"train_loss", 0.5}}));
  EXPECT_EQ(epoch_since(at_epoch(2, true), at_epoch(2)), Json({{"epoch", 2}, {"train_loss", 0.5}}));
}

TEST(EpochSince, HasTheValidationThatBelongsToIt) {
  Json now = at_epoch(2);
  now["validations"].push_back({{"epoch", 2}, {"loss", 0.25}, {"accuracy", 0.875}});
  EXPECT_EQ(epoch_since(at_epoch(2, true), now),
            Json({{"epoch", 2}, {"train_loss", 0.5}, {"loss", 0.25}, {"accuracy", 0.875}}));
  now["epoch"] = 3;
  EXPECT_EQ(epoch_since(at_epoch(2), now), Json({{"epoch", 3}, {"train_loss", 0.5}}))
      << "that was of epoch 2";
}

}  // namespace
}  // namespace fulcrum::daemon
