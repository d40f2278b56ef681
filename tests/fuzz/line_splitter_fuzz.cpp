// LineSplitter against a splitter that sees everything at once. The first byte is the limit, the second the
// size of the pieces in which the rest is fed.

#include <string>

#include "common/json_lines.h"
#include "tests/fuzz/promise.h"

using fulcrum::LineSplitter;
using fulcrum::fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t max_bytes = data[0];
  const std::size_t piece_bytes = 1 + std::size_t{data[1]} % 32;
  const auto stream = fulcrum::fuzz::as_text(data + 2, size - 2);

  LineSplitter lines(max_bytes);
  for (std::size_t at = 0; at < stream.size(); at += piece_bytes)
    lines.feed(stream.substr(at, piece_bytes));

  std::size_t begin = 0;
  for (std::size_t end = 0; (end = stream.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
    auto expected = stream.substr(begin, end - begin);
    const bool too_long = expected.size() > max_bytes;
    if (!expected.empty() && expected.back() == '\r') expected.remove_suffix(1);

    promise(lines.has_line(), "every newline ends a line");
    const auto line = lines.pop_line();
    promise(line.too_long == too_long, "a line is too long if it passes the limit, and only then");
    promise(line.text == (too_long ? "" : expected), "a line is what stands between two newlines");
  }
  promise(!lines.has_line(), "a line ends with a newline");
  promise(lines.pending_bytes() == stream.size() - begin, "what has not ended is pending");
  return 0;
}
