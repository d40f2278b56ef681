#pragma once
// The power that the board may draw: as the configuration says, until somebody sets another. What was set
// outlives the daemon.

#include <optional>
#include <string>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum::daemon {

class PowerBudget {
 public:
  // Reads what was set before, if it was. `corrupt` for a file that this did not write.
  [[nodiscard]] static Expected<PowerBudget> open(std::string path, std::optional<double> configured_w);

  // None: no budget.
  std::optional<double> power_w() const { return is_set_ ? set_w_ : configured_w_; }

  // Durable when it returns.
  [[nodiscard]] Expected<void> set(std::optional<double> power_w);
  // As the configuration says.
  [[nodiscard]] Expected<void> reset();

  // {"power_w", "source": "none"|"config"|"set", "config_power_w"}
  Json to_json() const;

 private:
  PowerBudget(std::string path, std::optional<double> configured_w)
      : path_(std::move(path)), configured_w_(configured_w) {}

  std::string path_;
  std::optional<double> configured_w_;
  bool is_set_ = false;
  std::optional<double> set_w_;
};

}  // namespace fulcrum::daemon
