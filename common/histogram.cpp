#include "common/histogram.h"

#include <algorithm>
#include <cmath>

namespace fulcrum {

namespace {
constexpr unsigned kStepBits = 6;
constexpr std::uint64_t kSteps = 1U << kStepBits;  // linear steps in one power of two
constexpr std::uint64_t kMaxUs = (std::uint64_t{1} << 32) - 1;
constexpr std::size_t kBuckets = (32 - kStepBits + 1) * kSteps;
}  // namespace

LatencyHistogram::LatencyHistogram() : buckets_(kBuckets) {}

// Values below kSteps have a bucket each; above, the top kStepBits + 1 bits of the value choose it.
std::size_t LatencyHistogram::bucket_of(std::uint64_t us) {
  if (us < kSteps) return static_cast<std::size_t>(us);
  const unsigned highest_bit = 63U - static_cast<unsigned>(__builtin_clzll(us));
  const unsigned shift = highest_bit - kStepBits;
  return static_cast<std::size_t>((shift + 1) * kSteps + ((us >> shift) - kSteps));
}

std::uint64_t LatencyHistogram::highest_of(std::size_t bucket) {
  if (bucket < kSteps) return bucket;
  const std::uint64_t shift = bucket / kSteps - 1;
  const std::uint64_t step = bucket % kSteps + kSteps;
  return ((step + 1) << shift) - 1;
}

void LatencyHistogram::record_ms(double ms) {
  const double us = std::clamp(std::round(ms * 1000.0), 0.0, static_cast<double>(kMaxUs));
  const auto whole = std::isnan(us) ? kMaxUs : static_cast<std::uint64_t>(us);
  ++buckets_[bucket_of(whole)];
  ++count_;
  max_us_ = std::max(max_us_, whole);
  sum_us_ += whole;
}

double LatencyHistogram::mean_ms() const {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_us_) / static_cast<double>(count_) / 1000.0;
}

double LatencyHistogram::percentile_ms(double percent) const {
  if (count_ == 0) return 0.0;
  const double wanted = std::ceil(percent / 100.0 * static_cast<double>(count_) - 1e-9);
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(wanted, 1.0)), 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank) return static_cast<double>(std::min(highest_of(i), max_us_)) / 1000.0;
  }
  return max_ms();
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i)
    buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_us_ = std::max(max_us_, other.max_us_);
  sum_us_ += other.sum_us_;
}

Json LatencyHistogram::to_json() const {
  Json buckets = Json::array();
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] > 0) buckets.push_back(Json::array({i, buckets_[i]}));
  }
  return {{"count", count_}, {"max_us", max_us_}, {"sum_us", sum_us_}, {"buckets", std::move(buckets)}};
}

Expected<LatencyHistogram> LatencyHistogram::from_json(const Json& json) {
  try {
    LatencyHistogram histogram;
    std::uint64_t total = 0;
    for (const auto& entry : json.at("buckets")) {
      const auto count = entry.at(1).get<std::uint64_t>();
      histogram.buckets_.at(entry.at(0).get<std::size_t>()) += count;
      total += count;
    }
    histogram.count_ = json.at("count").get<std::uint64_t>();
    histogram.max_us_ = json.at("max_us").get<std::uint64_t>();
    histogram.sum_us_ = json.at("sum_us").get<std::uint64_t>();
    if (total != histogram.count_) {
      return fail(ErrorCode::corrupt, "latency histogram: the buckets do not add up to its count");
    }
    return histogram;
  } catch (const std::exception& e) {
    return fail(ErrorCode::corrupt, std::string("latency histogram: ") + e.what());
  }
}

}  // namespace fulcrum
