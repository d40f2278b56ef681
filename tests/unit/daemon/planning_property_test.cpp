// What must hold of planning on any board.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "daemon/planning.h"
#include "scheduler/step_bound.h"
#include "tests/unit/daemon/planned_jobs.h"

namespace fulcrum::daemon {
namespace {

using scheduler::Measure;
using test::inference_to_plan;
using test::jobs_of;
using test::kInference;
using test::kTraining;
using test::PlanningScene;
using test::training_to_plan;

// ---- on boards that follow no formula ----

std::int64_t scatter(std::uint64_t seed, std::initializer_list<std::int64_t> of) {
  for (const auto value : of) {
    seed = (seed + 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(value)) * 0xbf58476d1ce4e5b9ULL;
    seed ^= seed >> 29;
  }
  return static_cast<std::int64_t>(seed % 1000);
}

// Times and powers follow no formula, and some things cannot be measured.
test::Findings any_board(std::uint64_t seed, int percent_unmeasurable) {
  return [seed, percent_unmeasurable](const PlannedJob& job,
                                      const Measure& m) -> std::optional<scheduler::MadeUpBoard::Step> {
    const auto about = [&](int what) {
      return scatter(seed, {what, job.id, m.mode.cpu_cores, m.mode.cpu_khz, m.mode.gpu_hz, m.batch_size});
    };
    if (about(0) % 100 < percent_unmeasurable) return std::nullopt;
    return scheduler::MadeUpBoard::Step{1.0 + static_cast<double>(about(1) % 40),
                                        5.0 + static_cast<double>(about(2) % 40)};
  };
}

RC_GTEST_PROP(PlanningProperty, ASearchEndsAndItsAnswerRestsOnMeasuredProfiles, ()) {
  const int percent_unmeasurable = *rc::gen::element(0, 10, 50, 100);
  PlanningScene scene(*rc::gen::element<std::string>("gmd", "exhaustive"),
                      scheduler::grid_of(scheduler::levels_up_to(2), scheduler::levels_up_to(3),
                                         scheduler::levels_up_to(3), {1}),
                      any_board(*rc::gen::arbitrary<std::uint64_t>(), percent_unmeasurable));
  if (*rc::gen::arbitrary<bool>()) scene.power_budget_w = *rc::gen::inRange(5, 50);
  const int jobs = *rc::gen::inRange(1, 5);
  for (JobId id = 1; id <= jobs; ++id) {
    scene.add(id, *rc::gen::arbitrary<bool>()
                      ? training_to_plan()
                      : inference_to_plan(*rc::gen::inRange(2, 100), *rc::gen::inRange(10, 400), {1, 4}));
  }
  std::set<scheduler::ProfileSet::Key> measured;
  std::set<std::tuple<JobId, scheduler::ProfileSet::Key>> probed;
  const auto settled = scene.search([&](const TakeProbe& probe) {
    const auto& m = probe.measure;
    const scheduler::ProfileSet::Key key{m.task, m.mode, m.batch_size};
    RC_ASSERT(probed.insert({probe.job, key}).second);
  });
  for (const auto& [id, job] : scene.jobs) {
    for (const auto& [key, profile] : job.profiles)
      measured.insert(key);
  }
  if (settled.settlement.choice) {
    for (const auto& p : settled.settlement.choice->profiles)
      RC_ASSERT(measured.count({p.task, p.mode, p.batch_size}) > 0);
  }
  if (!settled.plan.mode) {
    RC_ASSERT(settled.plan.inference.empty() && settled.plan.training.empty());
    return;
  }
  for (const auto& share : settled.plan.inference) {
    RC_ASSERT(scene.jobs.at(share.job).profiles.find(kInference, *settled.plan.mode, share.batch_size) !=
              nullptr);
  }
  for (const auto& share : settled.plan.training) {
    const auto* profile = scene.jobs.at(share.job).profiles.find(kTraining, *settled.plan.mode, 16);
    RC_ASSERT(profile != nullptr);
    RC_ASSERT(!scene.power_budget_w || profile->power_w <= *scene.power_budget_w);
  }
}

RC_GTEST_PROP(PlanningProperty, AJobInThePlanIsThereOnceAndAJobOutsideIsInTheNotes, ()) {
  PlanningScene scene("gmd",
                      scheduler::grid_of({1}, scheduler::levels_up_to(3), scheduler::levels_up_to(3), {1}),
                      any_board(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::element(0, 20)));
  if (*rc::gen::arbitrary<bool>()) scene.power_budget_w = *rc::gen::inRange(5, 50);
  const int jobs = *rc::gen::inRange(1, 5);
  for (JobId id = 1; id <= jobs; ++id)
    scene.add(id, *rc::gen::arbitrary<bool>() ? training_to_plan() : inference_to_plan(20, 400, {1, 4}));
  const auto plan = scene.search().plan;
  if (!plan.mode) return;
  for (const auto& [id, job] : scene.jobs) {
    const auto training = jobs_of(plan.training);
    const auto inference = jobs_of(plan.inference);
    const auto times =
        std::count(training.begin(), training.end(), id) + std::count(inference.begin(), inference.end(), id);
    const auto notes = std::count_if(plan.notes.begin(), plan.notes.end(), [&job = job](const auto& note) {
      return note.find("'" + job.spec.name + "'") != std::string::npos;
    });
    RC_ASSERT(times <= 1);
    RC_ASSERT(times == 1 || notes == 1);
  }
}

// ---- while jobs are served, on boards that keep to the bounds of scheduler/step_bound.h ----

// Steps have a part that no clock changes, and parts for CPU, GPU and memory, which overlap or follow one
// another. Each grows with the batch, but not faster.
struct Roofline {
  struct Part {
    double fixed = 0;
    double per_sample = 0;
    double of(int batch) const { return fixed + per_sample * batch; }
  };
  Part any, cpu, gpu, emc;
  double core_exponent = 1;  // how well it scales with the cores
  double overlap = 1;        // 1: the parts follow each other; larger: they overlap
  double power_w = 10;

  double time_ms(const PowerMode& m, int batch) const {
    const double c = cpu.of(batch) / (static_cast<double>(m.cpu_khz) * std::pow(m.cpu_cores, core_exponent));
    const double g = gpu.of(batch) / static_cast<double>(m.gpu_hz);
    const double e = emc.of(batch) / static_cast<double>(m.emc_hz);
    return any.of(batch) +
           std::pow(std::pow(c, overlap) + std::pow(g, overlap) + std::pow(e, overlap), 1 / overlap);
  }
  double watts(const PowerMode& m) const {
    return power_w + static_cast<double>(m.cpu_cores * m.cpu_khz) +
           2.0 * static_cast<double>(m.gpu_hz + m.emc_hz);
  }
};

Roofline any_roofline(int most_ms) {
  const auto part = [most_ms] {
    return Roofline::Part{0.1 + *rc::gen::inRange(0, most_ms), 0.1 * *rc::gen::inRange(0, most_ms)};
  };
  Roofline work;
  work.any = {0.1 * *rc::gen::inRange(0, 20), 0.01 * *rc::gen::inRange(0, 20)};
  work.cpu = part();
  work.gpu = part();
  work.emc = part();
  work.core_exponent = 0.1 * *rc::gen::inRange(0, 11);
  work.overlap = 1 + 0.5 * *rc::gen::inRange(0, 5);
  work.power_w = 5 + *rc::gen::inRange(0, 20);
  return work;
}

scheduler::ModeGrid any_grid() {
  const auto levels = [](std::int64_t most) {
    return scheduler::levels_up_to(*rc::gen::inRange<std::int64_t>(1, most + 1));
  };
  auto cores = levels(3), cpu = levels(4), gpu = levels(5), emc = levels(2);
  return scheduler::grid_of(std::move(cores), std::move(cpu), std::move(gpu), std::move(emc));
}

struct LiveWorld {
  std::map<JobId, Roofline> work;
  std::unique_ptr<PlanningScene> scene;

  double step_ms(JobId job, const PowerMode& mode, int batch) const {
    return work.at(job).time_ms(mode, batch);
  }
};

// One or two inference jobs that have settled and are served, and other jobs that have come since.
LiveWorld any_live_world() {
  LiveWorld world;
  for (JobId id = 1; id <= 5; ++id)
    world.work[id] = any_roofline(id <= 3 ? 40 : 60);
  world.scene = std::make_unique<PlanningScene>(
      *rc::gen::element<std::string>("gmd", "exhaustive"), any_grid(),
      [work = world.work](const PlannedJob& job, const Measure& m) {
        return scheduler::MadeUpBoard::Step{work.at(job.id).time_ms(m.mode, m.batch_size),
                                            work.at(job.id).watts(m.mode)};
      });
  auto& scene = *world.scene;
  scene.margin_ms = *rc::gen::inRange(0, 8);
  if (*rc::gen::arbitrary<bool>()) scene.power_budget_w = *rc::gen::inRange(20, 60);
  const int served = *rc::gen::inRange(1, 3);
  for (JobId id = 1; id <= served; ++id) {
    const double rate_hz = *rc::gen::inRange(2, 60);
    const double budget_ms = 1000 * *rc::gen::element(1, 4, 16) / rate_hz + *rc::gen::inRange(10, 200);
    scene.add(id, inference_to_plan(rate_hz, budget_ms, {1, 4, 16}));
  }
  scene.serve(scene.search().plan);
  if (*rc::gen::arbitrary<bool>()) scene.add(3, inference_to_plan(10, 500, {1, 4}));
  scene.add(4, training_to_plan());
  if (*rc::gen::arbitrary<bool>()) scene.add(5, training_to_plan());
  return world;
}

std::vector<JobId> live_jobs(const PlannedJobs& jobs) {
  std::vector<JobId> ids;
  for (const auto& [id, job] : jobs) {
    if (job.live) ids.push_back(id);
  }
  return ids;
}

RC_GTEST_PROP(PlanningLiveProperty, EveryProbeIsTakenBesideExactlyTheLiveJobs, ()) {
  auto world = any_live_world();
  const auto live = live_jobs(world.scene->jobs);
  world.scene->search([&](const TakeProbe& probe) {
    RC_ASSERT(jobs_of(probe.meanwhile.inference) == live);
    RC_ASSERT(jobs_of(probe.meanwhile.training).empty());
    RC_ASSERT(probe.meanwhile.mode == probe.measure.mode);
  });
  RC_TAG(live.size(), !world.scene->probes.empty());
}

RC_GTEST_PROP(PlanningLiveProperty, NoProbeIsTakenWhereAKeptBudgetWouldBreak, ()) {
  auto world = any_live_world();
  auto& scene = *world.scene;
  bool any_kept = false;
  scene.search([&](const TakeProbe& probe) {
    double demand = 0;
    for (const auto& share : probe.meanwhile.inference) {
      const double step_ms = world.step_ms(share.job, probe.measure.mode, share.batch_size);
      const double window_ms = 1000.0 * share.batch_size / share.arrival_rate_hz;
      demand += step_ms / window_ms;
      if (!scene.jobs.at(share.job).kept) continue;
      any_kept = true;
      RC_ASSERT(step_ms <= window_ms);
      RC_ASSERT(window_ms + step_ms <= share.latency_budget_ms);
    }
    if (any_kept) RC_ASSERT(demand <= 1);
  });
  RC_TAG(any_kept);
}

RC_GTEST_PROP(PlanningLiveProperty, NoStepThatAnythingIsKnownOfIsTooLongForTheGap, ()) {
  auto world = any_live_world();
  auto& scene = *world.scene;
  bool any_checked = false;
  scene.search([&](const TakeProbe& probe) {
    if (probe.step_bound_ms == 0) {
      RC_ASSERT(scene.jobs.at(probe.job).profiles.size() == 0);
      return;
    }
    const auto& m = probe.measure;
    const double probed_ms = world.step_ms(probe.job, m.mode, m.batch_size);
    RC_ASSERT(probed_ms <= probe.step_bound_ms + 1e-9);
    double batches_ms = 0;
    for (const auto& share : probe.meanwhile.inference)
      batches_ms += world.step_ms(share.job, m.mode, share.batch_size);
    for (const auto& share : probe.meanwhile.inference) {
      if (!scene.jobs.at(share.job).kept) continue;
      any_checked = true;
      RC_ASSERT(probed_ms <= share.latency_budget_ms - scene.margin_ms - batches_ms);
    }
  });
  RC_TAG(any_checked);
}

RC_GTEST_PROP(PlanningLiveProperty, WhoeverIsServedStaysServed, ()) {
  auto world = any_live_world();
  const auto live = live_jobs(world.scene->jobs);
  const auto plan = world.scene->search().plan;
  const auto served = jobs_of(plan.inference);
  RC_ASSERT(std::includes(served.begin(), served.end(), live.begin(), live.end()));
}

// But where a step of its own does not fit between its requests.
RC_GTEST_PROP(PlanningLiveProperty, NobodyTrainsBesideALiveJobThatIsNotMeasuredThere, ()) {
  auto world = any_live_world();
  auto& scene = *world.scene;
  scene.search([&](const TakeProbe& probe) {
    if (probe.measure.task != kTraining) return;
    double batches_ms = 0;
    for (const auto& share : probe.meanwhile.inference)
      batches_ms += scheduler::step_time_for(share.step_times, share.batch_size).p99_ms;
    double gap_ms = 1e9;
    for (const auto& share : probe.meanwhile.inference) {
      if (scene.jobs.at(share.job).kept)
        gap_ms = std::min(gap_ms, share.latency_budget_ms - scene.margin_ms - batches_ms);
    }
    for (const auto& share : probe.meanwhile.inference) {
      const auto& profiles = scene.jobs.at(share.job).profiles;
      if (profiles.covering(kInference, probe.measure.mode, 1) != nullptr) continue;
      RC_ASSERT(scheduler::step_bound_ms(profiles, kInference, probe.measure.mode, share.batch_size).value() >
                gap_ms);
    }
  });
}

}  // namespace
}  // namespace fulcrum::daemon
