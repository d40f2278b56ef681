#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/workloads/minibatch_values.h"
#include "workloads/dataset.h"

namespace fulcrum::workloads {
namespace {

std::shared_ptr<const Dataset> load(const SyntheticData& spec) {
  return load_dataset({spec}, spec.classes).value();
}

TEST(Synthetic, HasTheShapeAskedFor) {
  const DatasetSpec spec{SyntheticData{100, {3, 4, 5}, 7, 1}};
  const auto info = check_dataset(spec);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->size, 100U);
  const auto dataset = load_dataset(spec, 7).value();
  EXPECT_EQ(dataset->size(), 100U);
  EXPECT_EQ(dataset->layout().input.shape, (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_TRUE(dataset->layout().has_class());
  const auto minibatch = dataset->read({0, 99}).value();
  EXPECT_EQ(test::inputs_of(minibatch).size(), 120U);
  for (const float value : test::inputs_of(minibatch)) {
    EXPECT_GE(value, -1.0F);
    EXPECT_LE(value, 1.0F);
  }
}

TEST(Synthetic, ASampleIsTheSameWhateverItIsReadWith) {
  const auto dataset = load({50, {6}, 4, 3});
  const auto alone = dataset->read({17}).value();
  const auto together = dataset->read({3, 17}, {8, 2, nullptr}).value();
  const auto both = test::inputs_of(together);
  EXPECT_EQ(test::inputs_of(alone), std::vector<float>(both.begin() + 6, both.end()));
  EXPECT_EQ(test::targets_of(alone).front(), test::targets_of(together).back());
}

TEST(Synthetic, EveryClassOccurs) {
  const auto dataset = load({200, {1}, 5, 1});
  std::vector<std::size_t> all(200);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  auto targets = test::targets_of(dataset->read(all).value());
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  EXPECT_EQ(targets, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(Synthetic, SamplesOfOneClassAreAlike) {
  const auto dataset = load({40, {256}, 2, 9});
  std::vector<std::size_t> all(40);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  const auto minibatch = dataset->read(all).value();
  const auto inputs = test::inputs_of(minibatch);
  const auto targets = test::targets_of(minibatch);
  const auto product = [&inputs](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t i = 0; i < 256; ++i)
      sum += static_cast<double>(inputs[a * 256 + i]) * static_cast<double>(inputs[b * 256 + i]);
    return sum;
  };
  // The pattern's 256 x 0.25 / 3 is about 21; noise and other patterns add up to about 0 with deviation 3.
  for (std::size_t i = 1; i < 40; ++i)
    EXPECT_EQ(product(0, i) > 10, targets[0] == targets[i]) << i;
}

TEST(Synthetic, AnotherSeedGivesOtherSamples) {
  EXPECT_NE(test::inputs_of(load({9, {4}, 2, 1})->read({0}).value()),
            test::inputs_of(load({9, {4}, 2, 2})->read({0}).value()));
}

TEST(Synthetic, RefusesMoreClassesThanTheModelHas) {
  const auto dataset = load_dataset({SyntheticData{9, {4}, 11, 1}}, 10);
  ASSERT_FALSE(dataset);
  EXPECT_EQ(dataset.error().field, "/classes");
}

TEST(Synthetic, RefusesPatternsThatFitNowhere) {
  const auto info = check_dataset({SyntheticData{9, {1000, 1000, 3}, 100000, 1}});
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().front().field, "/classes");
}

}  // namespace
}  // namespace fulcrum::workloads
