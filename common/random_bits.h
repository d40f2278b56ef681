#pragma once
// Random numbers that are the same on every machine, for a seed and for what they are drawn for.

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace fulcrum {

// One step of SplitMix64 (Steele, Lea, Flood 2014).
inline std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline std::uint64_t mixed_bits(std::uint64_t seed, std::initializer_list<std::uint64_t> of) {
  for (const auto value : of)
    seed = mixed_bits(seed ^ mixed_bits(value));
  return seed;
}

class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(mixed_bits(seed)) {}

  std::uint64_t next() { return mixed_bits(state_++); }
  // 0 ... count - 1; the bias of the remainder is below 2^-32 for counts below 2^32.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  // Above 0, at most 1.
  double unit() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// Fisher and Yates.
template <class T>
void shuffle(std::vector<T>& values, RandomBits& random) {
  for (std::size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace fulcrum
