#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/image_files.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/workloads/minibatch_values.h"
#include "workloads/dataset.h"

namespace fulcrum::workloads {
namespace {

class AnImageFolder : public ::testing::Test {
 protected:
  AnImageFolder() {
    spec_.root = directory_ / "root";
    spec_.size = {4, 4};
    add("dog/2.png", 20);
    add("dog/10.png", 10);
    add("cat/b.JPG", 200, true);
    add("cat/a.jpeg", 100, true);
  }
  void add(const std::string& name, std::uint8_t brightness, bool jpeg = false) {
    const auto image = test::plain_image(4, 4, {brightness, brightness, brightness});
    put(name, jpeg ? test::jpeg_bytes(image) : test::png_bytes(image));
  }
  void put(const std::string& name, const std::string& bytes) {
    const std::filesystem::path path = spec_.root + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    test::spill(path.string(), bytes);
  }
  std::shared_ptr<const Dataset> load() { return load_dataset({spec_}, 2).value(); }
  // Fails to load, and to be checked, with this message.
  void expect_refusal(const std::string& message) {
    const auto loaded = load_dataset({spec_}, 2);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().message, message);
    EXPECT_EQ(loaded.error().field, "/root");
    const auto checked = check_dataset({spec_});
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().front().message, message);
    EXPECT_EQ(checked.error().front().field, "/root");
  }

  test::TempDir directory_;
  ImageFolder spec_;
};

TEST_F(AnImageFolder, IsInTheOrderOfNames) {
  const auto info = check_dataset({spec_});
  ASSERT_TRUE(info) << info.error().front().to_string();
  EXPECT_EQ(info->layout.input.shape, (std::vector<std::int64_t>{3, 4, 4}));
  const auto dataset = load();
  EXPECT_EQ(dataset->size(), 4U);
  EXPECT_EQ(dataset->layout().input.shape, (std::vector<std::int64_t>{3, 4, 4}));
  const auto minibatch = dataset->read({0, 1, 2, 3}).value();
  EXPECT_EQ(test::targets_of(minibatch), (std::vector<std::int64_t>{0, 0, 1, 1}));
  const auto inputs = test::inputs_of(minibatch);
  const auto brightness = [&inputs](std::size_t sample) { return (inputs[sample * 48] * 0.5F + 0.5F) * 255; };
  EXPECT_NEAR(brightness(0), 100, 2);
  EXPECT_NEAR(brightness(1), 200, 2);
  EXPECT_NEAR(brightness(2), 10, 0.01);  // "10.png" comes before "2.png"
  EXPECT_NEAR(brightness(3), 20, 0.01);
}

TEST_F(AnImageFolder, PassesOverWhatIsHiddenAndFilesBesideTheClasses) {
  put("README.txt", "pictures");
  put("dog/.DS_Store", "x");
  put(".git/config", "x");
  EXPECT_EQ(load()->size(), 4U);
}

TEST_F(AnImageFolder, NamesAFileThatIsNoImage) {
  put("bird/notes.txt", "x");
  expect_refusal("'" + spec_.root + "/bird/notes.txt' is no .jpg, .jpeg or .png");
}

TEST_F(AnImageFolder, NamesAFolderInsideAClass) {
  add("bird/young/1.png", 1);
  expect_refusal("'" + spec_.root + "/bird/young' is a folder inside that of a class");
}

TEST_F(AnImageFolder, NamesAFileThatIsNoImageAmongOthersWhenItIsLoaded) {
  put("dog/notes.txt", "x");
  const auto dataset = load_dataset({spec_}, 2);
  ASSERT_FALSE(dataset);
  EXPECT_EQ(dataset.error().message, "'" + spec_.root + "/dog/notes.txt' is no .jpg, .jpeg or .png");
  EXPECT_EQ(dataset.error().field, "/root");
}

TEST_F(AnImageFolder, NamesAClassWithoutImages) {
  std::filesystem::create_directories(spec_.root + "/bird");
  expect_refusal("'" + spec_.root + "/bird', the folder of a class, has no images");
}

TEST_F(AnImageFolder, MustHaveClasses) {
  spec_.root = directory_ / "empty";
  std::filesystem::create_directories(spec_.root);
  expect_refusal("'" + spec_.root + "' has no folders of classes");
}

TEST_F(AnImageFolder, MustExistAndBeAFolder) {
  spec_.root = directory_ / "absent";
  expect_refusal("'" + spec_.root + "' does not exist");
  spec_.root = directory_ / "file";
  test::spill(spec_.root, "x");
  expect_refusal("'" + spec_.root + "' is not a folder");
}

TEST_F(AnImageFolder, RefusesMoreClassesThanTheModelHas) {
  add("bird/1.png", 1);
  const auto dataset = load_dataset({spec_}, 2);
  ASSERT_FALSE(dataset);
  EXPECT_NE(dataset.error().message.find("has 3 folders of classes, but the model's num_classes is 2"),
            std::string::npos);
}

TEST_F(AnImageFolder, IsCheckedByAnImage) {
  put("ant/a.jpeg", "not a picture");
  const auto info = check_dataset({spec_});
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().front().message, "'" + spec_.root + "/ant/a.jpeg' is neither JPEG nor PNG");
}

TEST_F(AnImageFolder, NamesADamagedImageWhenItIsNeeded) {
  put("dog/2.png", test::png_bytes(test::plain_image(4, 4, {1, 2, 3})).substr(0, 40));
  const auto dataset = load();
  EXPECT_TRUE(dataset->read({0, 1, 2}));
  const auto minibatch = dataset->read({2, 3});
  ASSERT_FALSE(minibatch);
  EXPECT_EQ(minibatch.error().code, ErrorCode::corrupt);
  EXPECT_NE(minibatch.error().message.find("/dog/2.png"), std::string::npos);
}

TEST_F(AnImageFolder, NamesAnImageThatHasGone) {
  const auto dataset = load();
  std::filesystem::remove(spec_.root + "/dog/10.png");
  const auto minibatch = dataset->read({2});
  ASSERT_FALSE(minibatch);
  EXPECT_EQ(minibatch.error().code, ErrorCode::not_found);
}

TEST_F(AnImageFolder, NamesALinkToNothing) {
  ASSERT_EQ(::symlink("/nonexistent", (spec_.root + "/dog/0.png").c_str()), 0);
  const auto minibatch = load()->read({2});
  ASSERT_FALSE(minibatch);
  EXPECT_EQ(minibatch.error().code, ErrorCode::not_found);
}

TEST_F(AnImageFolder, GivesOneChannelIfAsked) {
  spec_.channels = 1;
  spec_.scale = {{0}, {1}};
  const auto minibatch = load()->read({2}).value();
  EXPECT_EQ(test::inputs_of(minibatch), std::vector<float>(16, 10.0F / 255));
}

TEST_F(AnImageFolder, AugmentsByEpochAndTheSameAgain) {
  test::TestImage stripes{4, 8, 3, {}};
  for (int i = 0; i < 4 * 8 * 3; ++i)
    stripes.pixels.push_back(static_cast<std::uint8_t>(i / 3 % 8 * 30));
  put("dog/2.png", test::png_bytes(stripes));
  spec_.random_crop = true;
  spec_.flip = true;
  const auto dataset = load();
  const auto read = [&](std::uint64_t epoch) {
    return test::inputs_of(dataset->read({3}, {7, epoch, nullptr}).value());
  };
  EXPECT_EQ(read(1), read(1));
  bool differs = false;
  for (std::uint64_t epoch = 2; epoch < 10; ++epoch)
    differs = differs || read(epoch) != read(1);
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace fulcrum::workloads
