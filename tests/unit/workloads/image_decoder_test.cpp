#include "workloads/image_decoder.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/image_files.h"

namespace fulcrum::workloads {
namespace {

// Smooth, so that JPEG keeps it.
test::TestImage gradient(int rows, int columns) {
  test::TestImage image{rows, columns, 3, {}};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      image.pixels.push_back(static_cast<std::uint8_t>(255 * row / rows));
      image.pixels.push_back(static_cast<std::uint8_t>(255 * column / columns));
      image.pixels.push_back(100);
    }
  }
  return image;
}

Expected<Pixels> decode(const std::string& file, const DecodeOptions& options = {}) {
  Pixels pixels;
  FULCRUM_TRY(decode_image(file, "a.img", options, pixels));
  return pixels;
}

std::string why_no_image(const std::string& file) {
  const auto pixels = decode(file);
  return pixels ? "" : pixels.error().message;
}

int largest_difference(const Pixels& pixels, const test::TestImage& image) {
  int most = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    most = std::max(most, std::abs(int{pixels.bytes[i]} - int{image.pixels[i]}));
  return most;
}

TEST(ImageDecoder, ReadsPngExactly) {
  const auto image = gradient(20, 30);
  const auto pixels = decode(test::png_bytes(image)).value();
  EXPECT_EQ(pixels.size.rows, 20);
  EXPECT_EQ(pixels.size.columns, 30);
  EXPECT_EQ(largest_difference(pixels, image), 0);
}

TEST(ImageDecoder, ReadsJpegNearly) {
  const auto image = gradient(64, 96);
  for (const bool progressive : {false, true}) {
    const auto pixels = decode(test::jpeg_bytes(image, 95, progressive)).value();
    EXPECT_EQ(pixels.size.rows, 64);
    EXPECT_EQ(pixels.size.columns, 96);
    EXPECT_LE(largest_difference(pixels, image), 8);
  }
}

TEST(ImageDecoder, GivesTheChannelsAskedFor) {
  const auto grey = test::plain_image(8, 8, {90});
  const auto colour = test::plain_image(8, 8, {90, 90, 90});
  for (const auto& file :
       {test::png_bytes(grey), test::png_bytes(colour), test::jpeg_bytes(grey), test::jpeg_bytes(colour)}) {
    for (const int channels : {1, 3}) {
      DecodeOptions options;
      options.channels = channels;
      const auto pixels = decode(file, options).value();
      EXPECT_EQ(pixels.channels, channels);
      for (std::size_t i = 0; i < 64U * static_cast<std::size_t>(channels); ++i)
        EXPECT_NEAR(pixels.bytes[i], 90, 2);
    }
  }
}

TEST(ImageDecoder, DecodesAJpegNoLargerThanItMust) {
  const auto file = test::jpeg_bytes(gradient(160, 240));
  const auto size_for = [&file](std::int64_t rows) {
    DecodeOptions options;
    options.needed = [rows](ImageSize original) {
      return ImageSize{rows, original.columns * rows / original.rows};
    };
    const auto pixels = decode(file, options).value();
    EXPECT_EQ(pixels.original.rows, 160);
    EXPECT_EQ(pixels.original.columns, 240);
    return pixels.size.rows;
  };
  EXPECT_EQ(size_for(160), 160);
  EXPECT_EQ(size_for(81), 160);
  EXPECT_EQ(size_for(80), 80);
  EXPECT_EQ(size_for(30), 40);
  EXPECT_EQ(size_for(1), 20);
  EXPECT_EQ(size_for(500), 160);
}

TEST(ImageDecoder, UsesMemoryAgain) {
  Pixels pixels;
  ASSERT_TRUE(decode_image(test::png_bytes(gradient(20, 30)), "a", {}, pixels));
  const auto small = test::plain_image(2, 2, {1, 2, 3});
  ASSERT_TRUE(decode_image(test::png_bytes(small), "b", {}, pixels));
  EXPECT_EQ(pixels.size.rows, 2);
  EXPECT_EQ(largest_difference(pixels, small), 0);
}

TEST(ImageDecoder, NamesTheFileThatIsNone) {
  EXPECT_EQ(why_no_image(""), "'a.img' is neither JPEG nor PNG: it is empty");
  EXPECT_EQ(why_no_image("GIF89a"), "'a.img' is neither JPEG nor PNG");
  EXPECT_EQ(why_no_image("\x89PNG\r\n\x1a\n" + std::string(100, 'x'))
                .rfind("'a.img' cannot be decoded as PNG: ", 0),
            0U);
  EXPECT_EQ(
      why_no_image("\xff\xd8\xff" + std::string(100, 'x')).rfind("'a.img' cannot be decoded as JPEG: ", 0),
      0U);
}

TEST(ImageDecoder, RefusesWhatIsCutOffAnywhere) {
  for (const auto& whole : {test::jpeg_bytes(gradient(40, 40)), test::jpeg_bytes(gradient(40, 40), 95, true),
                            test::png_bytes(gradient(40, 40))}) {
    ASSERT_EQ(why_no_image(whole), "");
    // The last bytes say that the image ends, which is known without them.
    for (std::size_t bytes = 0; bytes + 20 < whole.size(); bytes += 7)
      EXPECT_NE(why_no_image(whole.substr(0, bytes)), "") << bytes << " of " << whole.size();
  }
}

TEST(ImageDecoder, RefusesASizeBeforeItAsksForMemory) {
  auto png = test::png_bytes(test::plain_image(2, 2, {1, 2, 3}));
  png.replace(16, 8, std::string("\x7f\xff\xff\xff\x7f\xff\xff\xff", 8));
  EXPECT_NE(why_no_image(png), "");

  auto jpeg = test::jpeg_bytes(test::plain_image(16, 16, {1, 2, 3}));
  const auto frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xff\x00\xff\x00", 4);
  EXPECT_EQ(why_no_image(jpeg),
            "'a.img' has 65280 x 65280 pixels; 20000 a side and 50000000 in all are allowed");
}

TEST(ImageDecoder, LimitsSizes) {
  EXPECT_TRUE(check_image_size({5000, 10000}, "a"));
  EXPECT_FALSE(check_image_size({5001, 10000}, "a"));
  EXPECT_FALSE(check_image_size({1, 20001}, "a"));
}

}  // namespace
}  // namespace fulcrum::workloads
