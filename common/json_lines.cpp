#include "common/json_lines.h"

#include <utility>

namespace fulcrum {

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    append(bytes.substr(0, newline));
    if (newline == std::string_view::npos) return;
    end_line();
    bytes.remove_prefix(newline + 1);
  }
}

LineSplitter::Line LineSplitter::pop_line() {
  Line line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

void LineSplitter::append(std::string_view part) {
  pending_bytes_ += part.size();
  if (pending_bytes_ > max_bytes_) {
    dropping_ = true;
    std::string().swap(partial_);
  }
  if (!dropping_) partial_.append(part);
}

void LineSplitter::end_line() {
  if (!partial_.empty() && partial_.back() == '\r') partial_.pop_back();
  lines_.push_back(Line{std::move(partial_), dropping_});
  partial_.clear();
  pending_bytes_ = 0;
  dropping_ = false;
}

}  // namespace fulcrum
