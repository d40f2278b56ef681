#include "workloads/image_transform.h"

#include <gtest/gtest.h>

#include <set>

namespace fulcrum::workloads {
namespace {

// One channel, as bytes: value = pixel.
ImageFolder plain(int rows, int columns, int resize = 0) {
  ImageFolder spec;
  spec.size = {rows, columns};
  spec.resize = resize;
  spec.channels = 1;
  spec.scale = {{0}, {1.0 / 255}};
  return spec;
}

Pixels pixels_of(std::int64_t rows, std::int64_t columns, const std::vector<std::uint8_t>& bytes) {
  return {{rows, columns}, 1, bytes, {rows, columns}};
}

std::vector<float> applied(const ImageFolder& spec, const Pixels& pixels,
                           const ImageTransform::Choice& choice) {
  std::vector<float> out(static_cast<std::size_t>(spec.channels * spec.size[0] * spec.size[1]));
  ImageTransform::Scratch scratch;
  ImageTransform(spec).apply(pixels, choice, scratch, out.data());
  return out;
}

std::vector<float> applied(const ImageFolder& spec, const Pixels& pixels) {
  const ImageTransform transform(spec);
  return applied(spec, pixels, transform.choose(transform.resized(pixels.original), 1, 0, 0));
}

void expect_near(const std::vector<float>& values, const std::vector<float>& wanted) {
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], wanted[i], 1e-3F) << i;
}

TEST(ImageTransform, CoversTheSizeAskedFor) {
  const auto resized = [](const ImageFolder& spec, ImageSize size) {
    const auto whole = ImageTransform(spec).resized(size);
    return std::pair(whole.rows, whole.columns);
  };
  EXPECT_EQ(resized(plain(28, 28), {28, 28}), std::pair(std::int64_t{28}, std::int64_t{28}));
  EXPECT_EQ(resized(plain(100, 100), {200, 400}), std::pair(std::int64_t{100}, std::int64_t{200}));
  EXPECT_EQ(resized(plain(100, 100), {400, 200}), std::pair(std::int64_t{200}, std::int64_t{100}));
  EXPECT_EQ(resized(plain(100, 200), {50, 50}), std::pair(std::int64_t{200}, std::int64_t{200}));
  EXPECT_EQ(resized(plain(224, 224, 256), {375, 500}), std::pair(std::int64_t{256}, std::int64_t{342}));
  EXPECT_EQ(resized(plain(224, 224, 256), {500, 375}), std::pair(std::int64_t{342}, std::int64_t{256}));
  EXPECT_EQ(resized(plain(3, 5), {20000, 1}), std::pair(std::int64_t{100000}, std::int64_t{5}));
}

TEST(ImageTransform, NeverResizesBelowTheSizeAskedFor) {
  const ImageTransform transform(plain(31, 17));
  for (std::int64_t rows = 1; rows < 60; ++rows) {
    for (std::int64_t columns = 1; columns < 60; ++columns) {
      const auto whole = transform.resized({rows, columns});
      EXPECT_GE(whole.rows, 31);
      EXPECT_GE(whole.columns, 17);
      EXPECT_TRUE(whole.rows == 31 || whole.columns == 17);
    }
  }
}

TEST(ImageTransform, CopiesWhatHasItsSize) {
  expect_near(applied(plain(2, 3), pixels_of(2, 3, {1, 2, 3, 4, 5, 6})), {1, 2, 3, 4, 5, 6});
}

TEST(ImageTransform, CutsOutTheMiddle) {
  expect_near(applied(plain(1, 1, 3), pixels_of(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9})), {5});
  expect_near(applied(plain(2, 2), pixels_of(2, 4, {1, 2, 3, 4, 5, 6, 7, 8})), {2, 3, 6, 7});
}

TEST(ImageTransform, CutsOutAndMirrorsAsChosen) {
  const auto pixels = pixels_of(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  expect_near(applied(plain(2, 2, 3), pixels, {1, 0, false}), {4, 5, 7, 8});
  expect_near(applied(plain(2, 2, 3), pixels, {1, 0, true}), {5, 4, 8, 7});
}

TEST(ImageTransform, MadeSmallerTakesEveryPixelIn) {
  // A triangle of two input pixels to each side: weights 1, 3, 3, 1 of 8; at the edge 3, 3, 1 of 7.
  expect_near(applied(plain(1, 2), {{1, 4}, 1, {0, 70, 0, 0}, {2, 4}}), {30, 10});
}

TEST(ImageTransform, MadeLargerIsBilinear) {
  expect_near(applied(plain(2, 4), pixels_of(1, 2, {0, 80})), {0, 20, 60, 80, 0, 20, 60, 80});
}

TEST(ImageTransform, MirroredIsTheMirrorImageThroughResizingToo) {
  const auto pixels = pixels_of(2, 4, {10, 20, 30, 40, 50, 60, 70, 80});
  const auto spec = plain(3, 3, 3);
  const auto whole = applied(spec, pixels, {0, 1, false});
  const auto mirrored = applied(spec, pixels, {0, 1, true});
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column)
      EXPECT_FLOAT_EQ(mirrored[row * 3 + column], whole[row * 3 + 2 - column]);
  }
}

TEST(ImageTransform, ScalesEachChannelIntoAPlaneOfItsOwn) {
  ImageFolder spec = plain(1, 2);
  spec.channels = 3;
  spec.scale = {{0, 0.2, 0.4}, {1, 0.5, 0.25}};
  const Pixels pixels{{1, 2}, 3, {255, 51, 102, 0, 255, 255}, {1, 2}};
  expect_near(applied(spec, pixels), {1, 0, 0, 1.6F, 0, 2.4F});
}

TEST(ImageTransform, PlainPicturesStayPlainThroughAnyResizing) {
  for (const std::int64_t side : {1, 3, 7, 50}) {
    const auto pixels =
        pixels_of(side, side + 2, std::vector<std::uint8_t>(static_cast<std::size_t>(side * (side + 2)), 77));
    for (const float value : applied(plain(10, 10), pixels))
      EXPECT_NEAR(value, 77, 1e-3F);
  }
}

TEST(Augmentation, FollowsFromSeedEpochAndSampleAlone) {
  auto spec = plain(8, 8, 32);
  spec.random_crop = true;
  spec.flip = true;
  const ImageTransform transform(spec);
  const auto chosen = [&transform](std::uint64_t seed, std::uint64_t epoch, std::uint64_t sample) {
    const auto choice = transform.choose({32, 40}, seed, epoch, sample);
    return std::tuple(choice.row, choice.column, choice.mirrored);
  };
  EXPECT_EQ(chosen(1, 2, 3), chosen(1, 2, 3));
  std::set<std::tuple<std::int64_t, std::int64_t, bool>> choices;
  for (std::uint64_t i = 0; i < 50; ++i) {
    choices.insert(chosen(i, 2, 3));
    choices.insert(chosen(1, 100 + i, 3));
    choices.insert(chosen(1, 2, 100 + i));
  }
  EXPECT_GT(choices.size(), 120U);
}

TEST(Augmentation, StaysInsideAndReachesEveryPlace) {
  auto spec = plain(2, 2, 4);
  spec.random_crop = true;
  spec.flip = true;
  const ImageTransform transform(spec);
  std::set<std::tuple<std::int64_t, std::int64_t, bool>> choices;
  for (std::uint64_t sample = 0; sample < 1000; ++sample) {
    const auto choice = transform.choose({4, 5}, 1, 0, sample);
    EXPECT_LE(choice.row, 2);
    EXPECT_LE(choice.column, 3);
    choices.insert({choice.row, choice.column, choice.mirrored});
  }
  EXPECT_EQ(choices.size(), 3U * 4U * 2U);
}

TEST(Augmentation, IsNoneWhereItWasNotAskedFor) {
  const ImageTransform transform(plain(2, 2, 4));
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const auto choice = transform.choose({4, 6}, 1, sample, sample);
    EXPECT_EQ(choice.row, 1);
    EXPECT_EQ(choice.column, 2);
    EXPECT_FALSE(choice.mirrored);
  }
}

}  // namespace
}  // namespace fulcrum::workloads
