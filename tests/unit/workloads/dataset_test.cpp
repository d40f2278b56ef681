#include "workloads/dataset.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_dataset.h"
#include "tests/unit/workloads/minibatch_values.h"
#include "workloads/job_files.h"

namespace fulcrum::workloads {
namespace {

class ADataset : public ::testing::Test {
 protected:
  DatasetSpec write(const std::string& images, const std::string& labels) {
    IdxFiles files{directory_ / "images", directory_ / "labels"};
    test::spill(files.images, images);
    test::spill(files.labels, labels);
    return {files};
  }

  test::TempDir directory_;
};

TEST_F(ADataset, GivesSamplesInTheOrderAskedFor) {
  const auto spec =
      write(test::idx_images(3, 1, 1, std::string("\x00\x80\xff", 3)), test::idx_labels(3, "\x01\x02\x03"));
  const auto dataset = load_dataset(spec, 10);
  ASSERT_TRUE(dataset) << dataset.error().to_string();
  const auto minibatch = (*dataset)->read({2, 0});
  ASSERT_TRUE(minibatch);
  EXPECT_EQ(test::targets_of(*minibatch), (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(test::inputs_of(*minibatch), (std::vector<float>{1.0F, -1.0F}));
}

TEST_F(ADataset, KnowsItsShape) {
  const auto spec = write(test::idx_images(1, 2, 3, "abcdef"), test::idx_labels(1, "\x01"));
  EXPECT_EQ(load_dataset(spec, 10).value()->layout().input.shape, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(check_dataset(spec)->layout.input.shape, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(ADataset, RefusesASampleBeyondItsEnd) {
  const auto spec = write(test::idx_images(1, 1, 1, "a"), test::idx_labels(1, "\x01"));
  const auto minibatch = load_dataset(spec, 10).value()->read({1});
  ASSERT_FALSE(minibatch);
  EXPECT_EQ(minibatch.error().message, "sample 1 of a data set of 1");
}

TEST_F(ADataset, WithALabelThatIsNoClassIsRefusedWithItsPlace) {
  const auto spec = write(test::idx_images(3, 1, 1, "abc"), test::idx_labels(3, "\x01\x02\x0a"));
  const auto dataset = load_dataset(spec, 10);
  ASSERT_FALSE(dataset);
  EXPECT_NE(dataset.error().message.find("label 10 of sample 2"), std::string::npos);
  EXPECT_EQ(dataset.error().field, "/labels");
}

TEST_F(ADataset, WithFewerLabelsThanImagesIsRefused) {
  const auto spec = write(test::idx_images(3, 1, 1, "abc"), test::idx_labels(2, "\x01\x02"));
  const auto dataset = load_dataset(spec, 10);
  ASSERT_FALSE(dataset);
  EXPECT_NE(dataset.error().message.find("holds 2 labels"), std::string::npos);
  const auto info = check_dataset(spec);
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().front().field, "/labels");
}

TEST_F(ADataset, CheckTellsTheFaultsOfBothFiles) {
  const auto info = check_dataset({IdxFiles{directory_ / "no-images", directory_ / "no-labels"}});
  ASSERT_FALSE(info);
  ASSERT_EQ(info.error().size(), 2U);
  EXPECT_EQ(info.error()[0].field, "/images");
  EXPECT_EQ(info.error()[1].field, "/labels");
}

TEST_F(ADataset, CheckOfAJobNamesTheFieldsInTheSpec) {
  JobSpec spec;
  spec.model.builtin = "lenet5";
  TrainingSpec training;
  training.dataset = write(test::idx_images(1, 2, 3, "abcdef"), test::idx_labels(1, "\x01"));
  training.validation = ValidationSpec{{IdxFiles{directory_ / "absent", directory_ / "labels"}}, 1};
  training.output = directory_ / "absent/out.pt";
  spec.kind = training;
  const auto faults = check_job_files(spec);
  ASSERT_EQ(faults.size(), 3U);
  EXPECT_EQ(faults[0].field, "/dataset");
  EXPECT_EQ(faults[0].message,
            "the samples have shape [1, 2, 3] of float32, but model 'lenet5' takes [1, 28, 28] of float32");
  EXPECT_EQ(faults[1].field, "/validation/dataset/images");
  EXPECT_EQ(faults[2].field, "/output");
}

TEST_F(ADataset, CheckOfASoundJobFindsNothing) {
  JobSpec spec;
  spec.model.builtin = "lenet5";
  InferenceSpec inference;
  inference.source.dataset = test::write_tiny_dataset(directory_.path(), "tiny", 4, 2, 1);
  spec.kind = inference;
  EXPECT_TRUE(check_job_files(spec).empty());
}

}  // namespace
}  // namespace fulcrum::workloads
