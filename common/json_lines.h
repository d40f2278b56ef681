#pragma once
// Cuts a byte stream into lines, with a cap on the length of one: a longer line is thrown away up to its end
// and told as too long, so that the lines after it are still served.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace fulcrum {

class LineSplitter {
 public:
  struct Line {
    std::string text;       // without the newline; empty if too long
    bool too_long = false;  // it passed max_bytes
  };

  explicit LineSplitter(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Takes what was read. Bytes of an over-long line are counted and dropped, so memory stays below max_bytes.
  void feed(std::string_view bytes);

  bool has_line() const { return !lines_.empty(); }
  Line pop_line();

  // Bytes of a line that has begun and not ended; counts dropped bytes too.
  std::size_t pending_bytes() const { return pending_bytes_; }

 private:
  void append(std::string_view part);
  void end_line();

  std::size_t max_bytes_;
  std::string partial_;
  std::size_t pending_bytes_ = 0;
  bool dropping_ = false;
  std::deque<Line> lines_;
};

}  // namespace fulcrum
