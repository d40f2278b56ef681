#include "common/json_lines.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace fulcrum {
namespace {

TEST(LineSplitter, DropsAnOverlongLineAndGoesOn) {
  LineSplitter lines(4);
  lines.feed("12345\nok\n");
  const auto first = lines.pop_line();
  EXPECT_TRUE(first.too_long);
  EXPECT_EQ(first.text, "");
  const auto second = lines.pop_line();
  EXPECT_FALSE(second.too_long);
  EXPECT_EQ(second.text, "ok");
}

TEST(LineSplitter, KeepsALineOfExactlyTheLimit) {
  LineSplitter lines(4);
  lines.feed("1234\n");
  EXPECT_EQ(lines.pop_line().text, "1234");
}

TEST(LineSplitter, CountsALineThatDoesNotEnd) {
  LineSplitter lines(4);
  lines.feed(std::string(1000, 'x'));
  EXPECT_FALSE(lines.has_line());
  EXPECT_EQ(lines.pending_bytes(), 1000U);
}

TEST(LineSplitter, TakesACarriageReturnForPartOfTheLineEnd) {
  LineSplitter lines(10);
  lines.feed("a\r\n");
  EXPECT_EQ(lines.pop_line().text, "a");
}

RC_GTEST_PROP(LineSplitter, DoesNotCareHowBytesArrive, (const std::vector<std::string>& chunks)) {
  std::string all;
  LineSplitter pieces(1 << 20);
  for (const auto& chunk : chunks) {
    all += chunk + "\n";
    pieces.feed(chunk);
    pieces.feed("\n");
  }
  LineSplitter whole(1 << 20);
  whole.feed(all);
  while (whole.has_line()) {
    RC_ASSERT(pieces.has_line());
    RC_ASSERT(whole.pop_line().text == pieces.pop_line().text);
  }
  RC_ASSERT(!pieces.has_line());
}

}  // namespace
}  // namespace fulcrum
