#pragma once
// What RGS has worked out and may need again: the next problem, or the next step, often asks for the same.

#include <list>
#include <memory>
#include <vector>

#include "scheduler/workload_model.h"

namespace fulcrum::scheduler {

class RgsMemory {
 public:
  explicit RgsMemory(SearchPriors priors) : priors_(std::move(priors)) {}

  // Of every mode of the grid with every batch size, in the order of points_of().
  std::shared_ptr<const Expectation> expectation(WorkloadTask task,
                                                 const std::vector<Observation>& observations,
                                                 const MeasurementNoise& noise, const ModeGrid& grid,
                                                 const std::vector<int>& batch_sizes);

  // Where to begin with a workload of which nothing is known.
  PowerMode first_mode(WorkloadTask task, const ModeGrid& grid, int batch_size);

 private:
  struct Grid {
    ModeGrid grid;
    std::vector<int> batch_sizes;
    std::shared_ptr<const SearchPoints> points;
  };
  struct Fit {
    WorkloadTask task = WorkloadTask::training;
    std::vector<Observation> observations;
    MeasurementNoise noise;
    std::shared_ptr<const SearchPoints> points;
    std::shared_ptr<const Expectation> expectation;
  };
  struct First {
    WorkloadTask task = WorkloadTask::training;
    ModeGrid grid;
    int batch_size = 0;
    PowerMode mode;
  };

  std::shared_ptr<const SearchPoints> points(const ModeGrid& grid, const std::vector<int>& batch_sizes);

  SearchPriors priors_;
  // The newest first.
  std::list<Grid> grids_;
  std::list<Fit> fits_;
  std::list<First> firsts_;
};

}  // namespace fulcrum::scheduler
