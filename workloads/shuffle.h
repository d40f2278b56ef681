#pragma once
// The order in which an epoch visits the samples. It depends on the seed and the epoch alone, not on what ran
// before nor on the standard library, so that a resumed epoch goes on with the very samples that were left.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fulcrum::workloads {

// 0 .. size - 1 in a random order, each order equally likely. With a `shard` of more than 0, stretches of
// that many neighbours stay together: their order is random, and the order inside of each is. So what is read
// from a disk at about one time lies near each other on it.
std::vector<std::size_t> shuffled(std::size_t size, std::uint64_t seed, std::uint64_t epoch,
                                  std::size_t shard = 0);

}  // namespace fulcrum::workloads
