#include "workloads/shuffle.h"

#include <numeric>
#include <random>

namespace fulcrum::workloads {

namespace {

// Uniform in [0, bound). std::uniform_int_distribution differs between standard libraries; the engine does
// not.
std::uint64_t uniform_below(std::uint64_t bound, std::mt19937_64& engine) {
  const std::uint64_t most = std::mt19937_64::max();
  const std::uint64_t fair =
      most - most % bound;  // a multiple of bound: above it some values would come too often
  std::uint64_t value = engine();
  while (value >= fair)
    value = engine();
  return value % bound;
}

}  // namespace

std::vector<std::size_t> shuffled(std::size_t size, std::uint64_t seed, std::uint64_t epoch) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  std::seed_seq words{low(seed), high(seed), low(epoch), high(epoch)};
  std::mt19937_64 engine(words);

  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = size; left > 1; --left) {  // Fisher-Yates
    std::swap(order[left - 1], order[uniform_below(left, engine)]);
  }
  return order;
}

}  // namespace fulcrum::workloads
