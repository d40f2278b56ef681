#include "common/logging.h"

#include <gtest/gtest.h>

namespace fulcrum {
namespace {

TEST(MakeLogger, RefusesAnUnknownLevel) {
  const auto logger = make_logger("test", "inof");
  ASSERT_FALSE(logger);
  EXPECT_EQ(logger.error().hint, "did you mean 'info'?");
}

TEST(MakeLogger, KeepsToItsLevel) {
  const auto logger = make_logger("test", "warn");
  ASSERT_TRUE(logger);
  EXPECT_FALSE((*logger)->should_log(spdlog::level::info));
  EXPECT_TRUE((*logger)->should_log(spdlog::level::warn));
}

}  // namespace
}  // namespace fulcrum
