#pragma once
// Latency histogram with log-linear buckets: 64 linear steps in each power of two, so any recorded value is
// known to within 1/64 (1.6 %) and a histogram has a fixed, small size. Values are microseconds, 0 ... about
// 71 minutes. The same bucketing idea as HdrHistogram.

#include <cstdint>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum {

class LatencyHistogram {
 public:
  LatencyHistogram();

  // Values below 0 count as 0, above the range as its end.
  void record_ms(double ms);

  std::uint64_t count() const { return count_; }
  double max_ms() const { return static_cast<double>(max_us_) / 1000.0; }  // exact; 0 when empty
  double mean_ms() const;                                                  // exact; 0 when empty

  // Smallest recorded value v with at least `percent` of all values <= v, to within a bucket (never below it,
  // never above max_ms). 0 when empty. percent in (0, 100].
  double percentile_ms(double percent) const;

  void merge(const LatencyHistogram& other);

  // {"count", "max_us", "sum_us", "buckets": [[index, count], ...]}
  Json to_json() const;
  [[nodiscard]] static Expected<LatencyHistogram> from_json(const Json& json);

 private:
  static std::size_t bucket_of(std::uint64_t us);
  static std::uint64_t highest_of(std::size_t bucket);

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t max_us_ = 0;
  std::uint64_t sum_us_ = 0;
};

}  // namespace fulcrum
