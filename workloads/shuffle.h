#pragma once
// The order in which an epoch visits the samples. It depends on the seed and the epoch alone, not on what ran
// before nor on the standard library, so that a resumed epoch goes on with the very samples that were left.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fulcrum::workloads {

// 0 .. size - 1 in a random order, each order equally likely.
std::vector<std::size_t> shuffled(std::size_t size, std::uint64_t seed, std::uint64_t epoch);

}  // namespace fulcrum::workloads
