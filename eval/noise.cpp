#include "eval/noise.h"

#include <cmath>

#include "common/random_bits.h"

namespace fulcrum::eval {

using scheduler::Profile;

namespace {

constexpr double kPi = 3.14159265358979323846;

// FNV-1a.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

// Box and Muller.
double normal(RandomBits& random) {
  const double radius = std::sqrt(-2 * std::log(random.unit()));
  return radius * std::cos(2 * kPi * random.unit());
}

}  // namespace

Profile Noise::measured(const std::string& workload, const Profile& exact, std::uint64_t repetition) const {
  if (none()) return exact;
  const auto& mode = exact.mode;
  const auto bits = [](auto value) { return static_cast<std::uint64_t>(value); };
  RandomBits random(
      mixed_bits(seed, {hash_of(workload), bits(exact.task), bits(mode.cpu_cores), bits(mode.cpu_khz),
                        bits(mode.gpu_hz), bits(mode.emc_hz), bits(exact.batch_size), repetition}));
  Profile profile = exact;
  const double time_factor = std::exp(time * normal(random));
  profile.p50_ms *= time_factor;
  profile.p99_ms *= time_factor;
  profile.power_w *= std::exp(power * normal(random));
  return profile;
}

Bench Noise::measured(const Bench& exact, std::uint64_t repetition) const {
  Bench bench = exact;
  for (auto* table : {&bench.training, &bench.inference}) {
    if (!*table) continue;
    const std::string workload = (*table)->workload();
    *table = (*table)->changed([&](const Profile& row) { return measured(workload, row, repetition); });
  }
  return bench;
}

}  // namespace fulcrum::eval
