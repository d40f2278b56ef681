#include "eval/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace fulcrum::eval {

void share_out(std::size_t items, unsigned threads,
               const std::function<void(unsigned thread, std::size_t item)>& work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&](unsigned thread) {
    for (std::size_t item = next++; item < items; item = next++)
      work(thread, item);
  };
  std::vector<std::thread> others;
  const auto wanted = static_cast<unsigned>(std::min<std::size_t>(std::max(1U, threads), items));
  for (unsigned thread = 1; thread < wanted; ++thread)
    others.emplace_back(run, thread);
  run(0);
  for (auto& other : others)
    other.join();
}

}  // namespace fulcrum::eval
