#include "workloads/shuffle.h"

#include <algorithm>
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

// Fisher-Yates.
void shuffle_stretch(std::size_t* first, std::size_t count, std::mt19937_64& engine) {
  for (std::size_t left = count; left > 1; --left)
    std::swap(first[left - 1], first[uniform_below(left, engine)]);
}

}  // namespace

std::vector<std::size_t> shuffled(std::size_t size, std::uint64_t seed, std::uint64_t epoch,
                                  std::size_t shard) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  std::seed_seq words{low(seed), high(seed), low(epoch), high(epoch)};
  std::mt19937_64 engine(words);

  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (shard == 0 || shard >= size) {
    shuffle_stretch(order.data(), size, engine);
    return order;
  }
  std::vector<std::size_t> shards((size + shard - 1) / shard);
  std::iota(shards.begin(), shards.end(), std::size_t{0});
  shuffle_stretch(shards.data(), shards.size(), engine);
  std::size_t at = 0;
  for (const std::size_t number : shards) {
    const std::size_t first = number * shard;
    const std::size_t count = std::min(shard, size - first);
    std::iota(order.data() + at, order.data() + at + count, first);
    shuffle_stretch(order.data() + at, count, engine);
    at += count;
  }
  return order;
}

}  // namespace fulcrum::workloads
