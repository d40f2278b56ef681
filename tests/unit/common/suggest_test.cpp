#include "common/suggest.h"

#include <gtest/gtest.h>

#include <string>

namespace fulcrum {
namespace {

const std::vector<std::string> kNames{"epochs", "batch_size", "seed"};

TEST(NearestName, FindsATypingError) {
  EXPECT_EQ(nearest_name("epoch", kNames), "epochs");
  EXPECT_EQ(nearest_name("bacth_size", kNames), "batch_size");
}

TEST(NearestName, DoesNotGuessWildly) {
  EXPECT_EQ(nearest_name("momentum", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("x", kNames), std::nullopt);
}

TEST(NearestName, DoesNotWorkOnAHugeName) {
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'a'), kNames), std::nullopt);
}

TEST(DidYouMean, ListsWhatIsKnownWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("epoch", kNames), "did you mean 'epochs'?");
  EXPECT_EQ(did_you_mean("zzz", kNames), "known: epochs, batch_size, seed");
}

}  // namespace
}  // namespace fulcrum
