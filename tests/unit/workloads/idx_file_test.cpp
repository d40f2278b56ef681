#include "workloads/idx_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <ostream>
#include <string>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_dataset.h"

namespace fulcrum::workloads {
namespace {

using test::be32;
using test::gzipped;
using test::idx_images;
using test::idx_labels;

class IdxFile : public ::testing::Test {
 protected:
  // What reading a file with these bytes as `kind` says.
  Expected<IdxArray> read(const std::string& bytes, IdxKind kind, std::uint64_t max_bytes = kIdxMaxBytes) {
    test::spill(path_, bytes);
    return read_idx(path_, kind, max_bytes);
  }
  Error error_of(const std::string& bytes, IdxKind kind, std::uint64_t max_bytes = kIdxMaxBytes) {
    auto array = read(bytes, kind, max_bytes);
    if (array) return {};
    return array.error();
  }

  test::TempDir directory_;
  std::string path_ = directory_ / "file.idx";
};

TEST_F(IdxFile, ReadsImages) {
  const auto array = read(idx_images(2, 1, 3, "abcdef"), IdxKind::images);
  ASSERT_TRUE(array) << array.error().to_string();
  EXPECT_EQ(array->header.dims, (std::vector<std::uint32_t>{2, 1, 3}));
  EXPECT_EQ(array->bytes, (std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
}

TEST_F(IdxFile, ReadsGzippedLabels) {
  const auto array = read(gzipped(idx_labels(3, "\x01\x02\x03")), IdxKind::labels);
  ASSERT_TRUE(array) << array.error().to_string();
  EXPECT_EQ(array->bytes, (std::vector<std::uint8_t>{1, 2, 3}));
}

TEST_F(IdxFile, HeaderAloneNeedsNoIntactData) {
  test::spill(path_, gzipped(idx_labels(3, "\x01\x02\x03")) + "damage");
  const auto header = read_idx_header(path_, IdxKind::labels);
  ASSERT_TRUE(header) << header.error().to_string();
  EXPECT_EQ(header->dims, (std::vector<std::uint32_t>{3}));
}

struct Malformed {
  const char* name;
  std::string bytes;
  IdxKind kind;
  const char* says;

  friend std::ostream& operator<<(std::ostream& out, const Malformed& malformed) {
    return out << malformed.name;
  }
};

class MalformedIdxFile : public IdxFile, public ::testing::WithParamInterface<Malformed> {};

TEST_P(MalformedIdxFile, IsRefusedWithTheReason) {
  const auto& given = GetParam();
  const Error error = error_of(given.bytes, given.kind);
  EXPECT_EQ(error.code, ErrorCode::corrupt);
  EXPECT_NE(error.message.find(given.says), std::string::npos) << error.to_string();
  EXPECT_NE(error.message.find(path_), std::string::npos) << error.to_string();
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedIdxFile,
    ::testing::Values(
        Malformed{"Empty", "", IdxKind::labels, "is cut off: 0 bytes"},
        Malformed{"HalfMagic", std::string("\0\0", 2), IdxKind::labels, "is cut off: 2 bytes"},
        Malformed{"Text", "label,pixel1,pixel2\n", IdxKind::images,
                  "is not an idx file: it begins with 6c616265"},
        Malformed{"FloatElements", be32(0x00000d01) + be32(1) + "abcd", IdxKind::labels, "type 0x0d"},
        Malformed{"LabelsForImages", idx_labels(3, "abc"), IdxKind::images, "has 1 dimensions"},
        Malformed{"ImagesForLabels", idx_images(1, 1, 1, "a"), IdxKind::labels, "has 3 dimensions"},
        Malformed{"HalfHeader", idx_images(1, 1, 1, "").substr(0, 10), IdxKind::images,
                  "middle of its idx header"},
        Malformed{"NoSamples", idx_labels(0, ""), IdxKind::labels, "holds no labels"},
        Malformed{"NoRows", idx_images(1, 0, 28, ""), IdxKind::images,
                  "holds no images: its dimensions are 1 x 0 x 28"},
        Malformed{"OneByteShort", idx_labels(4, "abc"), IdxKind::labels, "is cut off"},
        Malformed{"OneByteMore", idx_labels(2, "abc"), IdxKind::labels, "goes on after the 2 bytes"},
        Malformed{"OneByteMoreGzipped", gzipped(idx_labels(2, "abc")), IdxKind::labels,
                  "goes on after the 2 bytes"},
        Malformed{"OneByteShortGzipped", gzipped(idx_labels(4, "abc")), IdxKind::labels,
                  "is cut off: 3 of the 4"},
        Malformed{"MoreThanTheFileCanHold", gzipped(idx_images(1000000, 28, 28, "x")), IdxKind::images,
                  "promises 784000000 bytes"},
        Malformed{"GzippedTwice", gzipped(gzipped(idx_labels(1, "a"))), IdxKind::labels,
                  "it begins with 1f8b"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(IdxFile, SwappedFilesAreSuspected) {
  EXPECT_EQ(error_of(idx_labels(3, "abc"), IdxKind::images).hint, "are the images and labels swapped?");
}

TEST_F(IdxFile, MoreThanTheCapIsRefusedOnTheHeadersWord) {
  EXPECT_EQ(error_of(idx_images(0xffffffff, 0xffffffff, 0xffffffff, "x"), IdxKind::images).code,
            ErrorCode::limit_exceeded);
  EXPECT_EQ(error_of(idx_labels(4, "abcd"), IdxKind::labels, 3).code, ErrorCode::limit_exceeded);
}

TEST_F(IdxFile, DamagedGzipDataIsRefused) {
  std::string bytes = gzipped(idx_labels(4, "abcd"));
  bytes[bytes.size() - 8] = static_cast<char>(bytes[bytes.size() - 8] ^ 1);  // in the checksum
  const Error error = error_of(bytes, IdxKind::labels);
  EXPECT_NE(error.message.find("damaged gzip data"), std::string::npos) << error.to_string();
}

TEST_F(IdxFile, MissingFileIsNotFound) {
  const auto array = read_idx(directory_ / "nothing.gz", IdxKind::labels);
  ASSERT_FALSE(array);
  EXPECT_EQ(array.error().code, ErrorCode::not_found);
}

TEST_F(IdxFile, DirectoryIsNoRegularFile) {
  const auto array = read_idx(directory_.path(), IdxKind::labels);
  ASSERT_FALSE(array);
  EXPECT_NE(array.error().message.find("not a regular file"), std::string::npos);
}

TEST_F(IdxFile, FifoIsNoRegularFileAndDoesNotBlock) {
  const std::string fifo = directory_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto array = read_idx(fifo, IdxKind::labels);
  ASSERT_FALSE(array);
  EXPECT_NE(array.error().message.find("not a regular file"), std::string::npos);
}

RC_GTEST_FIXTURE_PROP(IdxFile, CutAnywhereIsRefused, ()) {
  const auto pixels = *rc::gen::container<std::string>(12, rc::gen::arbitrary<char>());
  const std::string whole =
      *rc::gen::element(idx_images(3, 2, 2, pixels), gzipped(idx_images(3, 2, 2, pixels)));
  const auto length = *rc::gen::inRange<std::size_t>(0, whole.size());
  RC_ASSERT(!read(whole.substr(0, length), IdxKind::images));
}

RC_GTEST_FIXTURE_PROP(IdxFile, AnyBytesAreReadAsTheySayOrRefused, ()) {
  const std::string bytes =
      *rc::gen::oneOf(rc::gen::arbitrary<std::string>(),
                      rc::gen::map(rc::gen::arbitrary<std::string>(),
                                   [](const std::string& tail) { return be32(0x00000801) + tail; }));
  if (const auto array = read(bytes, IdxKind::labels)) {
    RC_ASSERT(array->bytes.size() == array->header.byte_count());
    RC_ASSERT(array->bytes.size() + 8 == bytes.size());
  }
}

}  // namespace
}  // namespace fulcrum::workloads
