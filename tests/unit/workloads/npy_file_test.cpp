#include "workloads/npy_file.h"

#include <gtest/gtest.h>

#include "tests/support/npy_bytes.h"

namespace fulcrum::workloads {
namespace {

Expected<NpyHeader> parse(const std::string& file) {
  return parse_npy_header(file, file.size(), "a.npy");
}

std::string why_no_array(const std::string& file) {
  const auto header = parse(file);
  return header ? "" : header.error().message;
}

std::string with_dictionary(const std::string& dictionary) {
  return test::npy_header(dictionary) + std::string(24, '\0');
}

TEST(NpyFile, IsReadInItsThreeVersions) {
  for (const int major : {1, 2, 3}) {
    const auto header =
        parse(test::npy_header(test::npy_dictionary("<f4", "(2, 3)"), major) + std::string(24, '\0'));
    ASSERT_TRUE(header) << header.error().to_string();
    EXPECT_EQ(header->type, NpyType::f4);
    EXPECT_EQ(header->shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(header->data_offset % 64, 0U);
    EXPECT_EQ(header->elements(), 6U);
  }
}

TEST(NpyFile, IsReadHoweverItsDictionaryIsWritten) {
  for (const char* dictionary : {"{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
                                 "{ 'shape': (2, 3, ), 'descr': '<f4', 'fortran_order': False }",
                                 "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 3), }"}) {
    EXPECT_EQ(why_no_array(with_dictionary(dictionary)), "") << dictionary;
  }
  EXPECT_EQ(why_no_array(with_dictionary(test::npy_dictionary("<f4", "(6,)"))), "");
}

TEST(NpyFile, KnowsItsTypes) {
  for (const auto& [descr, bytes] : {std::pair{"|b1", 1},
                                     {"|i1", 1},
                                     {"|u1", 1},
                                     {"<i2", 2},
                                     {"<u2", 2},
                                     {"<i4", 4},
                                     {"<u4", 4},
                                     {"<i8", 8},
                                     {"<f4", 4},
                                     {"<f8", 8}}) {
    const auto file = test::npy_header(test::npy_dictionary(descr, "(3,)")) +
                      std::string(static_cast<std::size_t>(3 * bytes), '\0');
    const auto header = parse(file);
    ASSERT_TRUE(header) << header.error().to_string();
    EXPECT_EQ(bytes_of(header->type), static_cast<std::size_t>(bytes));
  }
}

TEST(NpyFile, RefusesTypesThatItDoesNotKnow) {
  for (const char* descr : {">f4", "<u8", "<f2", "<c8", "|O", "<U5", "=f4", ""}) {
    const auto header = parse(with_dictionary(test::npy_dictionary(descr, "(2, 3)")));
    ASSERT_FALSE(header);
    EXPECT_EQ(header.error().code, ErrorCode::unsupported) << descr;
  }
}

TEST(NpyFile, RefusesFortransOrder) {
  EXPECT_EQ(why_no_array(with_dictionary("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }")),
            "'a.npy' is in Fortran's order");
}

TEST(NpyFile, RefusesADictionaryOfAnotherForm) {
  for (const char* dictionary : {"", "{", "{}", "[]", "{'descr': '<f4', 'fortran_order': False}",
                                 "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}",
                                 "{'descr': '<f4', 'fortran_order': 0, 'shape': (6,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (6)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': 6}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (-6,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'shape': (6,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'more': 1}",
                                 "{'descr': '<f4' 'fortran_order': False, 'shape': (6,)}",
                                 "{'descr': '<f4, 'fortran_order': False, 'shape': (6,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} x"}) {
    const auto header = parse(with_dictionary(dictionary));
    ASSERT_FALSE(header) << dictionary;
    EXPECT_EQ(header.error().code, ErrorCode::corrupt) << dictionary;
  }
}

TEST(NpyFile, HoldsItsShapeAgainstItsSize) {
  const auto header = test::npy_header(test::npy_dictionary("<f4", "(2, 3)"));
  EXPECT_EQ(why_no_array(header + std::string(23, 'x')),
            "'a.npy' is cut off: it has room for 5 elements, but shape (2, 3)");
  EXPECT_EQ(why_no_array(header + std::string(25, 'x')),
            "'a.npy' goes on after the elements of its shape, (2, 3)");
  EXPECT_EQ(why_no_array(header), "'a.npy' is cut off: it has room for 0 elements, but shape (2, 3)");
  EXPECT_NE(
      why_no_array(with_dictionary(test::npy_dictionary("<f4", "(4294967296, 4294967296, 4294967296)"))), "");
  EXPECT_EQ(why_no_array(with_dictionary(test::npy_dictionary("<f4", "(0, 3)"))),
            "'a.npy' holds nothing: its shape is (0, 3)");
  EXPECT_EQ(why_no_array(with_dictionary(test::npy_dictionary("<f4", "()"))),
            "'a.npy' has shape (); 1 to 8 dimensions are needed");
}

TEST(NpyFile, RefusesWhatIsCutOffAnywhere) {
  const auto whole = test::npy<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_FALSE(parse(whole.substr(0, bytes))) << bytes;
  EXPECT_TRUE(parse(whole));
}

TEST(NpyFile, RefusesOtherVersionsAndOtherFiles) {
  auto file = test::npy<float>("<f4", "(1,)", {1});
  file[6] = 4;
  EXPECT_EQ(why_no_array(file), "'a.npy' has .npy version 4.0; 1.0, 2.0 and 3.0 are supported");
  EXPECT_EQ(why_no_array("PK\x03\x04" + std::string(60, 'x')),
            "'a.npy' is not an .npy file: it does not begin with \\x93NUMPY");
}

TEST(NpyFile, RefusesAHeaderWithoutEnd) {
  std::string file = "\x93NUMPY\x02";
  file += std::string("\0\xff\xff\xff\xff", 5);
  EXPECT_NE(why_no_array(file + std::string(100, ' ')).find("has a header of 4294967295 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace fulcrum::workloads
