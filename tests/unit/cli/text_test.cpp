#include "cli/text.h"

#include <gmock/gmock.h>

namespace fulcrum::cli {
namespace {

TEST(Table, ColumnsAreAlignedWithoutSpacesAtTheEnd) {
  Table table;
  table.add({"ID", "NAME"});
  table.add({"10", ""});
  table.add({"7", "x"});
  EXPECT_EQ(table.to_string(), "ID  NAME\n10\n7   x\n");
}

TEST(Table, WidthsAreOfCharactersNotBytes) {
  Table table;
  table.add({"é", "a"});
  table.add({"ee", "b"});
  EXPECT_EQ(table.to_string(), "é   a\nee  b\n");
}

TEST(Printable, ControlCharactersCannotReachTheTerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\n\x7f"), "a?[2Jb??");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "2Jb"),
            "a?2Jb");
  EXPECT_EQ(printable("héllo"), "héllo");
}

TEST(Fit, LongTextIsCutAtACharacter) {
  EXPECT_EQ(fit("abc", 3), "abc");
  EXPECT_EQ(fit("abcd", 3), "ab…");
  EXPECT_EQ(fit("éééé", 3), "éé…");
}

TEST(Wrapped, LongTextIsBrokenAtBlanks) {
  EXPECT_THAT(wrapped("one two three", 7), testing::ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("éé éé éé", 5), testing::ElementsAre("éé éé", "éé"));
  EXPECT_THAT(wrapped("", 5), testing::IsEmpty());
}

TEST(Wrapped, AWordThatIsTooLongHasItsLine) {
  EXPECT_THAT(wrapped("a toolongword b", 4), testing::ElementsAre("a", "toolongword", "b"));
}

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(1, "probe"), "1 probe");
  EXPECT_EQ(counted(0, "probe"), "0 probes");
}

TEST(AnswerParts, ANumberWithoutRoomIsNotWhole) {
  EXPECT_EQ(whole_in({{"a", -3.7}}, "a"), -3);
  EXPECT_EQ(whole_in({{"a", 1e300}}, "a"), std::nullopt);
}

TEST(AnswerParts, OnlyTextsOfAListAreTexts) {
  EXPECT_THAT(texts_in({{"a", {"x\n", 3, nullptr}}}, "a"), testing::ElementsAre("x?"));
}

TEST(AnswerParts, WhatIsMissingOrOddIsNothing) {
  const Json json{{"a", "text"}, {"b", 3}};
  EXPECT_EQ(number_in(json, "a"), std::nullopt);
  EXPECT_EQ(number_in(json, "none"), std::nullopt);
  EXPECT_EQ(text_in(json, "b"), "");
  EXPECT_TRUE(object_in(json, "a").empty());
  EXPECT_TRUE(list_in(Json(3), "a").empty());
}

}  // namespace
}  // namespace fulcrum::cli
