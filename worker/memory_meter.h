#pragma once
// The memory that a job takes, as the process and the machine see it while the job is loaded and measured.

#include <cstdint>
#include <string>

#include "common/error.h"

namespace fulcrum::worker {

struct MemoryReading {
  std::int64_t resident_bytes = 0;   // of this process, file-backed pages included
  std::int64_t peak_bytes = 0;       // the most that was, since reset_memory_peak()
  std::int64_t available_bytes = 0;  // of the machine: MemAvailable
};

// corrupt: `status` (of /proc/self/status) or `meminfo` lacks a figure.
[[nodiscard]] Expected<MemoryReading> parse_memory(const std::string& status, const std::string& meminfo);
[[nodiscard]] Expected<MemoryReading> read_memory();
void reset_memory_peak();

class MemoryMeter {
 public:
  // `of_machine`: the device takes its memory from the machine's and not from the process's pages, as a GPU
  // does on a Jetson; then what the machine lacks counts where that is more.
  explicit MemoryMeter(bool of_machine = false) : of_machine_(of_machine) {}

  // Before anything of the job is loaded.
  void begin(const MemoryReading& now);
  // It is loaded, and has not run.
  void loaded(const MemoryReading& now);
  // A step of it, with the peak reset before.
  void step(const MemoryReading& before, const MemoryReading& after);

  // The most so far: what loading left, and what steps added to that.
  std::int64_t peak_bytes() const { return peak_; }

 private:
  void note(std::int64_t bytes);

  bool of_machine_;
  MemoryReading begun_;
  std::int64_t loaded_ = 0;
  std::int64_t resident_at_first_step_ = -1;
  std::int64_t peak_ = 0;
};

}  // namespace fulcrum::worker
