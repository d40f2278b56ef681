#include "eval/progress.h"

#include <fmt/format.h>

#include <string>

namespace fulcrum::eval {

namespace {
constexpr std::size_t kBarWidth = 40;
constexpr std::chrono::milliseconds kBetweenDrawings{100};
}  // namespace

void ProgressBar::show(std::size_t done, std::size_t all) {
  const auto now = std::chrono::steady_clock::now();
  if (all == 0 || (visible_ && now - drawn_ < kBetweenDrawings)) return;
  const std::size_t full = kBarWidth * done / all;
  terminal_ << fmt::format("\r[{}{}] {:3} %  {} of {}", std::string(full, '#'),
                           std::string(kBarWidth - full, '.'), 100 * done / all, done, all)
            << std::flush;
  drawn_ = now;
  visible_ = true;
}

void ProgressBar::erase() {
  if (visible_) terminal_ << "\r\033[K" << std::flush;
}

}  // namespace fulcrum::eval
