#include "powermode/simulated_workloads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/suggest.h"
#include "powermode/embedded_text.h"
#include "powermode/simulated_hardware.h"
#include "powermode/yaml_fields.h"

namespace fulcrum {

// ---- the data file ----

struct SimulatedWorkloads::Yaml {
  static WorkloadTask task_field(const YAML::Node& map) {
    const auto task = parse_workload_task(powermode::field<std::string>(map, "task"));
    if (!task) throw YAML::RepresentationException(map["task"].Mark(), task.error().message);
    return *task;
  }

  static double number(const YAML::Node& map, const char* key) {
    const auto value = powermode::field<double>(map, key);
    if (!(value >= 0 && std::isfinite(value))) {
      throw YAML::RepresentationException(map[key].Mark(),
                                          fmt::format("'{}' is negative or not finite", key));
    }
    return value;
  }

  static Coefficients read_coefficients(const YAML::Node& map) {
    powermode::check_keys(map, {"class", "task", "batch", "time", "power"});
    Coefficients known;
    known.workload_class = powermode::field<std::string>(map, "class");
    known.task = task_field(map);
    known.batch_size = powermode::field<int>(map, "batch");
    if (known.batch_size < 1) throw YAML::RepresentationException(map["batch"].Mark(), "'batch' is below 1");
    const auto time = powermode::required(map, "time");
    powermode::check_keys(time, {"A", "C", "G", "M", "q", "k"});
    known.time = {number(time, "A"), number(time, "C"), number(time, "G"),
                  number(time, "M"), number(time, "q"), number(time, "k")};
    if (known.time.M <= 0) throw YAML::RepresentationException(time["M"].Mark(), "'M' is not above 0");
    if (known.time.q < 1) throw YAML::RepresentationException(time["q"].Mark(), "'q' is below 1");
    const auto power = powermode::required(map, "power");
    powermode::check_keys(power, {"P0", "p_m", "p_c", "p_n", "p_g", "beta"});
    known.power = {number(power, "P0"),  number(power, "p_m"), number(power, "p_c"),
                   number(power, "p_n"), number(power, "p_g"), number(power, "beta")};
    return known;
  }

  static StandIn read_stand_in(const YAML::Node& map) {
    powermode::check_keys(map, {"class", "task", "as"});
    return {powermode::field<std::string>(map, "class"), task_field(map),
            powermode::field<std::string>(map, "as")};
  }

  static SimulatedWorkloads read(const YAML::Node& map) {
    powermode::check_keys(map, {"coefficients", "stand_ins"});
    SimulatedWorkloads workloads;
    for (const auto& entry : powermode::required_list(map, "coefficients")) {
      workloads.coefficients_.push_back(read_coefficients(entry));
    }
    for (const auto& entry : map["stand_ins"])
      workloads.stand_ins_.push_back(read_stand_in(entry));
    std::sort(workloads.coefficients_.begin(), workloads.coefficients_.end(),
              [](const auto& a, const auto& b) { return a.batch_size < b.batch_size; });
    return workloads;
  }
};

Expected<SimulatedWorkloads> SimulatedWorkloads::parse(std::string_view yaml, const std::string& source) {
  return powermode::parse_yaml<SimulatedWorkloads>(yaml, source, Yaml::read);
}

Expected<SimulatedWorkloads> SimulatedWorkloads::builtin(const std::string& board) {
  FULCRUM_TRY_ASSIGN(hardware, powermode::SimulatedHardware::builtin(board));
  const auto& scale = hardware.workloads;
  const std::string source = scale.of + "-workloads.yaml";
  FULCRUM_TRY_ASSIGN(measured, parse(powermode::embedded_text(source), source));
  return measured.scaled(scale.cpu, scale.gpu, scale.memory, scale.power);
}

// ---- the model ----

namespace {
double ghz(std::int64_t hz) {
  return static_cast<double>(hz) / 1e9;
}
}  // namespace

SimulatedWorkloads SimulatedWorkloads::scaled(double cpu, double gpu, double memory, double power) const {
  SimulatedWorkloads scaled = *this;
  for (auto& [workload_class, task, batch_size, t, p] : scaled.coefficients_) {
    t.A *= cpu;
    t.C *= cpu;
    t.G *= gpu;
    t.M *= memory;
    for (double* part : {&p.P0, &p.p_m, &p.p_c, &p.p_n, &p.p_g})
      *part *= power;
  }
  return scaled;
}

double SimulatedWorkloads::idle_w(const Coefficients& known, const PowerMode& mode) {
  const auto& p = known.power;
  const double f_c = ghz(mode.cpu_khz * 1000);
  return p.P0 + p.p_m * ghz(mode.emc_hz) + p.p_c * f_c * f_c + p.p_n * mode.cpu_cores * f_c * f_c;
}

SimulatedWorkloads::Step SimulatedWorkloads::step_at(const Coefficients& known, int batch_size,
                                                     const PowerMode& mode) {
  const auto& t = known.time;
  const double scale = static_cast<double>(batch_size) / known.batch_size;
  const double f_g = ghz(mode.gpu_hz);
  const double c = scale * t.C / ghz(mode.cpu_khz * 1000) * std::pow(4.0 / mode.cpu_cores, t.k);
  const double g = scale * t.G / f_g;
  const double e = scale * t.M / ghz(mode.emc_hz);
  const double longest = std::max({c, g, e});
  const double sum = std::pow(c / longest, t.q) + std::pow(g / longest, t.q) + std::pow(e / longest, t.q);
  const double time_ms = t.A + longest * std::pow(sum, 1.0 / t.q);
  return {time_ms, idle_w(known, mode) + known.power.p_g * (g / time_ms) * std::pow(f_g, known.power.beta)};
}

double SimulatedWorkloads::idle_power_w(const PowerMode& mode) const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& known : coefficients_)
    least = std::min(least, idle_w(known, mode));
  return least;
}

std::vector<std::string> SimulatedWorkloads::class_names() const {
  std::vector<std::string> names;
  for (const auto& known : coefficients_)
    names.push_back(known.workload_class);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Expected<std::vector<const SimulatedWorkloads::Coefficients*>> SimulatedWorkloads::find(
    const std::string& workload_class, WorkloadTask task) const {
  std::string wanted = workload_class;
  for (const auto& stand_in : stand_ins_) {
    if (stand_in.workload_class == workload_class && stand_in.task == task) wanted = stand_in.as;
  }
  std::vector<const Coefficients*> known;
  for (const auto& entry : coefficients_) {
    if (entry.workload_class == wanted && entry.task == task) known.push_back(&entry);
  }
  if (!known.empty()) return known;
  return fail(ErrorCode::not_found,
              fmt::format("the simulated board knows no {} of class '{}'", to_string(task), workload_class),
              fmt::format("known classes: {}", fmt::join(class_names(), ", ")));
}

Expected<SimulatedWorkloads::Step> SimulatedWorkloads::step(const std::string& workload_class,
                                                            WorkloadTask task, int batch_size,
                                                            const PowerMode& mode) const {
  if (batch_size < 1) return fail(ErrorCode::invalid_argument, fmt::format("a batch of {}", batch_size));
  if (mode.cpu_cores < 1 || mode.cpu_khz < 1 || mode.gpu_hz < 1 || mode.emc_hz < 1) {
    return fail(ErrorCode::invalid_argument, fmt::format("no power mode: {}", mode.to_string()));
  }
  FULCRUM_TRY_ASSIGN(known, find(workload_class, task));
  // By batch size; the neighbours on both sides, or the nearest twice.
  const auto above = std::find_if(known.begin(), known.end(), [batch_size](const Coefficients* c) {
    return c->batch_size >= batch_size;
  });
  if (above == known.end()) return step_at(*known.back(), batch_size, mode);
  if (above == known.begin()) return step_at(**above, batch_size, mode);
  const Coefficients& low = **std::prev(above);
  const Coefficients& high = **above;
  const Step a = step_at(low, low.batch_size, mode);
  const Step b = step_at(high, high.batch_size, mode);
  const double x = static_cast<double>(batch_size - low.batch_size) / (high.batch_size - low.batch_size);
  return Step{a.time_ms + x * (b.time_ms - a.time_ms), a.power_w + x * (b.power_w - a.power_w)};
}

Expected<double> SimulatedWorkloads::step_time_ms(const std::string& workload_class, WorkloadTask task,
                                                  int batch_size, const PowerMode& mode) const {
  FULCRUM_TRY_ASSIGN(result, step(workload_class, task, batch_size, mode));
  return result.time_ms;
}

Expected<double> SimulatedWorkloads::busy_power_w(const std::string& workload_class, WorkloadTask task,
                                                  int batch_size, const PowerMode& mode) const {
  FULCRUM_TRY_ASSIGN(result, step(workload_class, task, batch_size, mode));
  return result.power_w;
}

}  // namespace fulcrum
