#include "daemon/memory_admission.h"

#include <gmock/gmock.h>

namespace fulcrum::daemon {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;
constexpr BoardMemory kBoard{4000 * kMiB, 1000 * kMiB};

TEST(MemoryAdmission, LetsInWhatFitsBesideTheHeadroom) {
  const MemoryAdmission admission(200 * kMiB);
  EXPECT_FALSE(admission.why_it_waits(800 * kMiB, 0, kBoard));
  const auto why = admission.why_it_waits(801 * kMiB, 0, kBoard);
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "memory: it needs 801 MiB, and 1000 MiB are available; 200 MiB stay free");
}

TEST(MemoryAdmission, CountsWhatIsPromised) {
  const auto why = MemoryAdmission(200 * kMiB).why_it_waits(500 * kMiB, 400 * kMiB, kBoard);
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("400 MiB of them promised"));
}

TEST(MemoryAdmission, RefusesWhatNeverFits) {
  const MemoryAdmission admission(200 * kMiB);
  EXPECT_TRUE(admission.check_ever_fits(3800 * kMiB, kBoard)) << "others may end";
  const auto refused = admission.check_ever_fits(3801 * kMiB, kBoard);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::limit_exceeded);
  EXPECT_THAT(refused.error().message, HasSubstr("needs 3801 MiB of memory, as was measured before"));
}

}  // namespace
}  // namespace fulcrum::daemon
