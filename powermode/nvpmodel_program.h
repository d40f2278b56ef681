#pragma once
// NVIDIA's program nvpmodel. What it says of success is not believed: who changes the mode through it reads
// the board back. It is never told to reboot: it gets nothing to read, and its question ends there.

#include <string>

#include "common/clock.h"
#include "common/error.h"
#include "powermode/nvpmodel_output.h"

namespace fulcrum {

class NvpmodelProgram {
 public:
  static constexpr std::chrono::seconds kTimeLimit{4};

  // `conf`: the board's own catalogue. nvpmodel remembers which one it was given last; so it is named each
  // time. Empty: where nvpmodel looks by itself.
  explicit NvpmodelProgram(std::string path = "/usr/sbin/nvpmodel", Duration time_limit = kTimeLimit,
                           std::string conf = {})
      : path_(std::move(path)), time_limit_(time_limit), conf_(std::move(conf)) {}

  const std::string& path() const { return path_; }
  const std::string& conf() const { return conf_; }

  // What it was last told to set.
  [[nodiscard]] Expected<NvpmodelQuery> query() const;

  // Sets one of the modes of its own catalogue, or of another conf. `unsupported`: the mode needs a reboot,
  // or this is a container; `busy`: somebody has it reboot the board.
  [[nodiscard]] Expected<void> set(int mode_id) const;
  [[nodiscard]] Expected<void> set(const std::string& conf_path, int mode_id) const;

 private:
  [[nodiscard]] Expected<void> run_to_set(std::vector<std::string> arguments) const;

  std::string path_;
  Duration time_limit_;
  std::string conf_;
};

}  // namespace fulcrum
