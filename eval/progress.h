#pragma once
// A bar on a terminal that says how far a run is.

#include <chrono>
#include <cstddef>
#include <ostream>

namespace fulcrum::eval {

class ProgressBar {
 public:
  explicit ProgressBar(std::ostream& terminal) : terminal_(terminal) {}
  ~ProgressBar() { erase(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Draws at most ten times a second.
  void show(std::size_t done, std::size_t all);

 private:
  void erase();

  std::ostream& terminal_;
  std::chrono::steady_clock::time_point drawn_;
  bool visible_ = false;
};

}  // namespace fulcrum::eval
