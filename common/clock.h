#pragma once
// Time as something that is handed in, so that tests and the simulator own it.

#include <chrono>
#include <cstdint>

namespace fulcrum {

// CLOCK_MONOTONIC: the same line of time in every process of one boot.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  // Milliseconds since 1970, for what people read and what outlives a boot. Never for measuring.
  virtual std::int64_t wall_ms() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override;
  std::int64_t wall_ms() const override;
};

// Stands still until told; wall time moves along with it.
class ManualClock final : public Clock {
 public:
  TimePoint now() const override { return now_; }
  std::int64_t wall_ms() const override;
  void advance(Duration by) { now_ += by; }
  void set(TimePoint to) { now_ = to; }

 private:
  TimePoint now_{};
};

inline double to_ms(Duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}
inline double to_s(Duration d) {
  return std::chrono::duration<double>(d).count();
}
inline Duration from_ms(double ms) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms));
}
inline std::int64_t to_ns(TimePoint t) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count();
}
inline TimePoint from_ns(std::int64_t ns) {
  return TimePoint(std::chrono::nanoseconds(ns));
}

}  // namespace fulcrum
