#pragma once
// Ways to run a workload - a power mode and a batch size - as a surrogate model sees them.

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "powermode/power_mode.h"
#include "scheduler/mode_grid.h"

namespace fulcrum::scheduler {

// Columns of the logarithms, in this order.
inline constexpr Eigen::Index kFeatures = 5;  // CPU GHz, GPU GHz, EMC GHz, cores, batch size

// One row per point.
struct SearchPoints {
  Eigen::ArrayXd cpu_ghz, gpu_ghz, emc_ghz, cores, batch;
  Eigen::Array<double, Eigen::Dynamic, kFeatures> logs;
  Eigen::ArrayXd gpu_share;  // of a step's time (roofline.h); empty until a time is fitted

  Eigen::Index size() const { return logs.rows(); }
  SearchPoints block(Eigen::Index first, Eigen::Index count) const;
};

SearchPoints make_points(const std::vector<PowerMode>& modes, const std::vector<int>& batch_sizes);

// Every mode of the grid with every batch size: point m * batch_sizes.size() + k is mode m with size k.
SearchPoints points_of(const ModeGrid& grid, const std::vector<int>& batch_sizes);

}  // namespace fulcrum::scheduler
