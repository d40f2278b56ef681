// The formats that are read from where they lie: CIFAR-10, .npy pairs, token streams.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/npy_bytes.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/workloads/minibatch_values.h"
#include "workloads/dataset.h"

namespace fulcrum::workloads {
namespace {

class FileFormats : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& bytes) {
    test::spill(directory_ / name, bytes);
    return directory_ / name;
  }

  test::TempDir directory_;
};

// Load fails with this field and a message that contains `words`.
void expect_refusal(const Expected<std::shared_ptr<const Dataset>>& loaded, const std::string& field,
                    const std::string& words) {
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().field, field);
  EXPECT_NE(loaded.error().message.find(words), std::string::npos) << loaded.error().message;
}

using Cifar10 = FileFormats;

// Every pixel of a plane is the same.
std::string cifar_record(char label, char red, char green, char blue) {
  return std::string(1, label) + std::string(1024, red) + std::string(1024, green) + std::string(1024, blue);
}

TEST_F(Cifar10, IsReadThroughItsFiles) {
  CifarFiles spec;
  spec.files = {
      file("a.bin", cifar_record(3, '\x00', '\xff', '\x33') + cifar_record(4, '\x01', '\x02', '\x03')),
      file("b.bin", cifar_record(9, '\x00', '\x00', '\xff'))};
  const auto info = check_dataset({spec});
  ASSERT_TRUE(info);
  EXPECT_EQ(info->size, 3U);
  const auto dataset = load_dataset({spec}, 10).value();
  EXPECT_EQ(dataset->size(), 3U);
  EXPECT_EQ(dataset->layout().input.shape, (std::vector<std::int64_t>{3, 32, 32}));
  const auto minibatch = dataset->read({2, 0, 1}).value();
  EXPECT_EQ(test::targets_of(minibatch), (std::vector<std::int64_t>{9, 3, 4}));
  const auto inputs = test::inputs_of(minibatch);
  EXPECT_EQ(inputs[0], -1.0F);
  EXPECT_EQ(inputs[3071], 1.0F);
  EXPECT_EQ(inputs[3072], -1.0F);
  EXPECT_EQ(inputs[4096], 1.0F);
  EXPECT_FLOAT_EQ(inputs[5120], (51.0F / 255.0F - 0.5F) / 0.5F);
}

TEST_F(Cifar10, IsScaledAsTheSpecSays) {
  CifarFiles spec;
  spec.files = {file("a.bin", cifar_record(0, '\xff', '\xff', '\xff'))};
  spec.scale = {{0, 0.5, 0.75}, {1, 0.25, 0.5}};
  const auto inputs = test::inputs_of(load_dataset({spec}, 10).value()->read({0}).value());
  EXPECT_FLOAT_EQ(inputs[0], 1.0F);
  EXPECT_FLOAT_EQ(inputs[1024], 2.0F);
  EXPECT_FLOAT_EQ(inputs[2048], 0.5F);
}

TEST_F(Cifar10, NamesTheFileThatIsNone) {
  CifarFiles spec;
  spec.files = {file("a.bin", cifar_record(0, 0, 0, 0)), file("b.bin", "not a record"),
                directory_ / "absent"};
  const auto info = check_dataset({spec});
  ASSERT_FALSE(info);
  ASSERT_EQ(info.error().size(), 2U);
  EXPECT_EQ(info.error()[0].field, "/files/1");
  EXPECT_EQ(info.error()[1].field, "/files/2");
  expect_refusal(load_dataset({spec}, 10), "/files/1", "12 bytes, which is no multiple of the 3073");
}

TEST_F(Cifar10, RefusesALabelThatIsNoClass) {
  CifarFiles spec;
  spec.files = {file("a.bin", cifar_record(0, 0, 0, 0)), file("b.bin", cifar_record(7, 0, 0, 0))};
  expect_refusal(load_dataset({spec}, 5), "/files/1", "label 7 of record 0 is not below 5");
  spec.files = {file("a.bin", cifar_record(10, 0, 0, 0))};
  expect_refusal(load_dataset({spec}, 100), "/files/0", "label 10 of record 0 is not below 10");
}

TEST_F(Cifar10, ThatIsCutOffWhileInUseIsAnError) {
  CifarFiles spec;
  std::string records;
  for (int i = 0; i < 100; ++i)
    records += cifar_record(1, 0, 0, 0);
  spec.files = {file("a.bin", records)};
  const auto dataset = load_dataset({spec}, 10).value();
  std::filesystem::resize_file(spec.files.front(), 3073);
  EXPECT_TRUE(dataset->read({0}));
  const auto minibatch = dataset->read({99});
  ASSERT_FALSE(minibatch);
  EXPECT_EQ(minibatch.error().code, ErrorCode::io);
}

using NpyPairs = FileFormats;

TEST_F(NpyPairs, OfFloatsAndClassesAreReadAsTheyLie) {
  const NpyFiles spec{file("x.npy", test::npy<float>("<f4", "(3, 2)", {1, 2, 3, 4, 5, 6})),
                      file("y.npy", test::npy<std::int64_t>("<i8", "(3,)", {7, 0, 2}))};
  const auto info = check_dataset({spec});
  ASSERT_TRUE(info);
  EXPECT_EQ(info->size, 3U);
  EXPECT_TRUE(info->layout.has_class());
  const auto dataset = load_dataset({spec}, 8).value();
  EXPECT_EQ(dataset->layout().input, (ArrayLayout{ElementType::float32, {2}}));
  const auto minibatch = dataset->read({2, 0}).value();
  EXPECT_EQ(test::inputs_of(minibatch), (std::vector<float>{5, 6, 1, 2}));
  EXPECT_EQ(test::targets_of(minibatch), (std::vector<std::int64_t>{2, 7}));
}

TEST_F(NpyPairs, OfTokensAndFloatTargetsAreConverted) {
  const NpyFiles spec{file("x.npy", test::npy<std::uint16_t>("<u2", "(2, 2)", {1, 65535, 3, 4})),
                      file("y.npy", test::npy<double>("<f8", "(2, 1)", {0.5, -0.25}))};
  const auto dataset = load_dataset({spec}, 10).value();
  EXPECT_EQ(dataset->layout().input, (ArrayLayout{ElementType::int64, {2}}));
  EXPECT_EQ(dataset->layout().target, (ArrayLayout{ElementType::float32, {1}}));
  const auto minibatch = dataset->read({0, 1}).value();
  EXPECT_EQ(test::int_inputs_of(minibatch), (std::vector<std::int64_t>{1, 65535, 3, 4}));
  EXPECT_EQ(test::float_targets_of(minibatch), (std::vector<float>{0.5F, -0.25F}));
}

TEST_F(NpyPairs, OfEveryTypeKeepTheirValues) {
  const auto targets = file("y.npy", test::npy<std::int64_t>("<i8", "(2,)", {0, 0}));
  const auto read = [&](const std::string& bytes) {
    const auto dataset = load_dataset({NpyFiles{file("x.npy", bytes), targets}}, 1).value();
    return test::int_inputs_of(dataset->read({0, 1}).value());
  };
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(read(test::npy<std::uint8_t>("|b1", "(2,)", {0, 1})), (Values{0, 1}));
  EXPECT_EQ(read(test::npy<std::int8_t>("|i1", "(2,)", {-128, 127})), (Values{-128, 127}));
  EXPECT_EQ(read(test::npy<std::uint8_t>("|u1", "(2,)", {0, 255})), (Values{0, 255}));
  EXPECT_EQ(read(test::npy<std::int16_t>("<i2", "(2,)", {-32768, 5})), (Values{-32768, 5}));
  EXPECT_EQ(read(test::npy<std::int32_t>("<i4", "(2,)", {-7, 1 << 30})), (Values{-7, 1 << 30}));
  EXPECT_EQ(read(test::npy<std::uint32_t>("<u4", "(2,)", {4294967295U, 5})), (Values{4294967295, 5}));
}

TEST_F(NpyPairs, MustHaveTheSameNumberOfSamples) {
  const NpyFiles spec{file("x.npy", test::npy<float>("<f4", "(3,)", {1, 2, 3})),
                      file("y.npy", test::npy<float>("<f4", "(2,)", {1, 2}))};
  expect_refusal(load_dataset({spec}, 10), "/targets", "holds 2 targets");
  EXPECT_EQ(check_dataset({spec}).error().front().field, "/targets");
}

TEST_F(NpyPairs, NameBothFilesThatAreNone) {
  const auto info = check_dataset({NpyFiles{file("x.npy", "abc"), directory_ / "absent"}});
  ASSERT_FALSE(info);
  ASSERT_EQ(info.error().size(), 2U);
  EXPECT_EQ(info.error()[0].field, "/inputs");
  EXPECT_EQ(info.error()[1].field, "/targets");
}

TEST_F(NpyPairs, RefuseALabelThatIsNoClass) {
  const auto inputs = file("x.npy", test::npy<float>("<f4", "(2,)", {1, 2}));
  const NpyFiles above{inputs, file("y.npy", test::npy<std::int64_t>("<i8", "(2,)", {9, 10}))};
  expect_refusal(load_dataset({above}, 10), "/targets",
                 "label 10 of sample 1 is not below the model's num_classes, 10");
  EXPECT_TRUE(load_dataset({above}, std::nullopt));
  const NpyFiles below{inputs, file("z.npy", test::npy<std::int64_t>("<i8", "(2,)", {-1, 1}))};
  expect_refusal(load_dataset({below}, std::nullopt), "/targets", "label -1 of sample 0 is below 0");
}

using Tokens = FileFormats;

TokenFile tokens(const std::string& path, const std::string& dtype, std::int64_t length) {
  TokenFile spec;
  spec.file = path;
  spec.dtype = dtype;
  spec.sequence_length = length;
  return spec;
}

TEST_F(Tokens, AreFollowedByTheirTargets) {
  const auto path = file("t.bin", test::raw_bytes<std::uint16_t>({10, 11, 12, 13, 14, 15, 16, 17}));
  const auto dataset = load_dataset({tokens(path, "uint16", 3)}, 10).value();
  EXPECT_EQ(dataset->size(), 2U);  // the last stretch has one token, and none to follow it
  const auto minibatch = dataset->read({1, 0}).value();
  EXPECT_EQ(test::int_inputs_of(minibatch), (std::vector<std::int64_t>{13, 14, 15, 10, 11, 12}));
  EXPECT_EQ(test::targets_of(minibatch), (std::vector<std::int64_t>{14, 15, 16, 11, 12, 13}));
  EXPECT_FALSE(dataset->layout().has_class());
}

TEST_F(Tokens, OfEveryTypeKeepTheirValues) {
  const auto read = [&](const std::string& bytes, const std::string& dtype) {
    const auto dataset = load_dataset({tokens(file("t.bin", bytes), dtype, 1)}, 10).value();
    return test::int_inputs_of(dataset->read({0}).value()).front();
  };
  EXPECT_EQ(read(test::raw_bytes<std::uint16_t>({65535, 0}), "uint16"), 65535);
  EXPECT_EQ(read(test::raw_bytes<std::int32_t>({1 << 30, 0}), "int32"), 1 << 30);
  EXPECT_EQ(read(test::raw_bytes<std::uint32_t>({4294967295U, 0}), "uint32"), 4294967295);
  EXPECT_EQ(read(test::raw_bytes<std::int64_t>({std::int64_t{1} << 40, 0}), "int64"), std::int64_t{1} << 40);
}

TEST_F(Tokens, MustFillTheirType) {
  const auto path = file("t.bin", "abcde");
  expect_refusal(load_dataset({tokens(path, "uint16", 1)}, 10), "/file",
                 "5 bytes, which is no multiple of the 2");
}

TEST_F(Tokens, MustBeEnoughForOneSequence) {
  const auto path = file("t.bin", test::raw_bytes<std::uint16_t>({1, 2, 3}));
  EXPECT_TRUE(check_dataset({tokens(path, "uint16", 2)}));
  expect_refusal(load_dataset({tokens(path, "uint16", 3)}, 10), "/sequence_length", "holds 3 tokens");
}

TEST_F(Tokens, OutsideTheVocabularyAreNamedWithTheirPlace) {
  auto spec = tokens(file("t.bin", test::raw_bytes<std::int32_t>({1, 2, 3, 100, -5, 1, 1})), "int32", 2);
  spec.vocabulary = 100;
  const auto dataset = load_dataset({spec}, 10).value();
  EXPECT_TRUE(dataset->read({0}));
  const auto above = dataset->read({1});
  ASSERT_FALSE(above);
  EXPECT_NE(above.error().message.find("token 100 at position 3 is not below the vocabulary's 100"),
            std::string::npos);
  const auto below = dataset->read({2});
  ASSERT_FALSE(below);
  EXPECT_NE(below.error().message.find("token -5 at position 4 is below 0"), std::string::npos);
}

}  // namespace
}  // namespace fulcrum::workloads
