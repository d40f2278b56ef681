#include "scheduler/search_points.h"

namespace fulcrum::scheduler {

SearchPoints make_points(const std::vector<PowerMode>& modes, const std::vector<int>& batch_sizes) {
  SearchPoints points;
  const auto n = static_cast<Eigen::Index>(modes.size());
  for (auto* column : {&points.cpu_ghz, &points.gpu_ghz, &points.emc_ghz, &points.cores, &points.batch})
    column->resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& mode = modes[static_cast<std::size_t>(i)];
    points.cpu_ghz[i] = static_cast<double>(mode.cpu_khz) * 1e-6;
    points.gpu_ghz[i] = static_cast<double>(mode.gpu_hz) * 1e-9;
    points.emc_ghz[i] = static_cast<double>(mode.emc_hz) * 1e-9;
    points.cores[i] = mode.cpu_cores;
    points.batch[i] = batch_sizes[static_cast<std::size_t>(i)];
  }
  points.logs.resize(n, kFeatures);
  points.logs << points.cpu_ghz.log(), points.gpu_ghz.log(), points.emc_ghz.log(), points.cores.log(),
      points.batch.log();
  return points;
}

SearchPoints SearchPoints::block(Eigen::Index first, Eigen::Index count) const {
  return {cpu_ghz.segment(first, count),
          gpu_ghz.segment(first, count),
          emc_ghz.segment(first, count),
          cores.segment(first, count),
          batch.segment(first, count),
          logs.middleRows(first, count),
          gpu_share.size() > 0 ? Eigen::ArrayXd(gpu_share.segment(first, count)) : Eigen::ArrayXd()};
}

SearchPoints points_of(const ModeGrid& grid, const std::vector<int>& batch_sizes) {
  std::vector<PowerMode> modes;
  std::vector<int> sizes;
  modes.reserve(grid.size() * batch_sizes.size());
  sizes.reserve(modes.capacity());
  for (std::size_t number = 0; number < grid.size(); ++number) {
    const PowerMode mode = grid.mode(number);
    for (const int batch : batch_sizes) {
      modes.push_back(mode);
      sizes.push_back(batch);
    }
  }
  return make_points(modes, sizes);
}

}  // namespace fulcrum::scheduler
