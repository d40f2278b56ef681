#include "scheduler/maxn.h"

#include "scheduler/batch_served.h"

namespace fulcrum::scheduler {

Step Maxn::next(const Problem& problem, const ProfileSet& profiles) const {
  ProfilePath path(problem, profiles);
  measure_in(problem, problem.grid.highest(), path);
  return path.conclude();
}

}  // namespace fulcrum::scheduler
