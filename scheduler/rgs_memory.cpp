#include "scheduler/rgs_memory.h"

#include <algorithm>
#include <utility>

#include "scheduler/initial_design.h"

namespace fulcrum::scheduler {

namespace {

constexpr std::size_t kMostRemembered = 48;

// The element that matches, moved to the front; null if there is none.
template <class T, class Matches>
T* recall(std::list<T>& memory, const Matches& matches) {
  const auto found = std::find_if(memory.begin(), memory.end(), matches);
  if (found == memory.end()) return nullptr;
  memory.splice(memory.begin(), memory, found);
  return &memory.front();
}

template <class T>
T& remember(std::list<T>& memory, T made) {
  memory.push_front(std::move(made));
  if (memory.size() > kMostRemembered) memory.pop_back();
  return memory.front();
}

}  // namespace

std::shared_ptr<const SearchPoints> RgsMemory::points(const ModeGrid& grid,
                                                      const std::vector<int>& batch_sizes) {
  if (auto* known =
          recall(grids_, [&](const Grid& g) { return g.grid == grid && g.batch_sizes == batch_sizes; }))
    return known->points;
  auto made = std::make_shared<const SearchPoints>(points_of(grid, batch_sizes));
  return remember(grids_, Grid{grid, batch_sizes, std::move(made)}).points;
}

std::shared_ptr<const Expectation> RgsMemory::expectation(WorkloadTask task,
                                                          const std::vector<Observation>& observations,
                                                          const MeasurementNoise& noise, const ModeGrid& grid,
                                                          const std::vector<int>& batch_sizes) {
  auto at = points(grid, batch_sizes);
  const auto same = [&](const Fit& fit) {
    return fit.task == task && fit.points == at && fit.noise.time == noise.time &&
           fit.noise.power == noise.power && fit.observations == observations;
  };
  if (auto* known = recall(fits_, same)) return known->expectation;
  auto made = std::make_shared<const Expectation>(expect(priors_.of(task), observations, noise, *at));
  return remember(fits_, Fit{task, observations, noise, std::move(at), std::move(made)}).expectation;
}

PowerMode RgsMemory::first_mode(WorkloadTask task, const ModeGrid& grid, int batch_size) {
  const auto same = [&](const First& first) {
    return first.task == task && first.batch_size == batch_size && first.grid == grid;
  };
  if (auto* known = recall(firsts_, same)) return known->mode;
  // Where to begin does not depend on how fine the grid is.
  const ModeGrid coarse = thinned(grid);
  const auto number = most_telling_point(priors_.of(task), points_of(coarse, {batch_size}));
  return remember(firsts_, First{task, grid, batch_size, coarse.mode(static_cast<std::size_t>(number))}).mode;
}

}  // namespace fulcrum::scheduler
