#pragma once
// How long steps last and what they draw on a simulated board, for a few classes of workloads: a model with
// measured coefficients, kept as data in config/boards/<board>-workloads.yaml, where its formulas are.

#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/workload_task.h"
#include "powermode/power_mode.h"

namespace fulcrum {

class SimulatedWorkloads {
 public:
  [[nodiscard]] static Expected<SimulatedWorkloads> parse(std::string_view yaml, const std::string& source);
  // Those of a simulated board. Where nothing was measured on such a board, they are another's, scaled.
  [[nodiscard]] static Expected<SimulatedWorkloads> builtin(const std::string& board);

  // With the time that each part of a step takes, and the power, multiplied.
  SimulatedWorkloads scaled(double cpu, double gpu, double memory, double power) const;

  std::vector<std::string> class_names() const;

  // One step, and the board's power while it runs. Errors: an unknown class or a batch size below 1.
  [[nodiscard]] Expected<double> step_time_ms(const std::string& workload_class, WorkloadTask task,
                                              int batch_size, const PowerMode& mode) const;
  [[nodiscard]] Expected<double> busy_power_w(const std::string& workload_class, WorkloadTask task,
                                              int batch_size, const PowerMode& mode) const;

  // The board's power with an idle device: the least that any class draws with its GPU part at zero.
  double idle_power_w(const PowerMode& mode) const;

 private:
  // One class and task, measured at one batch size.
  struct Coefficients {
    std::string workload_class;
    WorkloadTask task = WorkloadTask::training;
    int batch_size = 0;
    struct {
      double A = 0, C = 0, G = 0, M = 0, q = 0, k = 0;
    } time;
    struct {
      double P0 = 0, p_m = 0, p_c = 0, p_n = 0, p_g = 0, beta = 0;
    } power;
  };
  struct StandIn {
    std::string workload_class;
    WorkloadTask task = WorkloadTask::training;
    std::string as;
  };
  struct Step {
    double time_ms = 0;
    double power_w = 0;
  };

  struct Yaml;  // reads this from the data file

  static double idle_w(const Coefficients& known, const PowerMode& mode);
  static Step step_at(const Coefficients& known, int batch_size, const PowerMode& mode);
  [[nodiscard]] Expected<std::vector<const Coefficients*>> find(const std::string& workload_class,
                                                                WorkloadTask task) const;
  [[nodiscard]] Expected<Step> step(const std::string& workload_class, WorkloadTask task, int batch_size,
                                    const PowerMode& mode) const;

  std::vector<Coefficients> coefficients_;
  std::vector<StandIn> stand_ins_;
};

}  // namespace fulcrum
