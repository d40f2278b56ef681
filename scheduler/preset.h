#pragma once
// The best of the vendor's presets, a baseline (searches.md section 4): each of them, with every knob on the
// grid's next level below.

#include <utility>
#include <vector>

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

inline constexpr std::string_view kPresetSearchName = "preset";

class PresetSearch : public Strategy {
 public:
  explicit PresetSearch(std::vector<PowerMode> presets) : presets_(std::move(presets)) {}

  std::string_view name() const override { return kPresetSearchName; }
  Step next(const Problem& problem, const ProfileSet& profiles) const override;

 private:
  std::vector<PowerMode> presets_;
};

}  // namespace fulcrum::scheduler
