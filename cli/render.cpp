#include "cli/render.h"

#include <fmt/format.h>

#include <vector>

#include "cli/render_parts.h"
#include "cli/text.h"

namespace fulcrum::cli {

namespace {

// "epoch 1/2" from {"epoch": 1, "epochs": 2}; without the total if there is none.
void add_share(std::vector<std::string>& parts, const Json& json, const char* name, const char* word,
               const char* total) {
  const auto value = number_in(json, name);
  if (!value) return;
  const auto of = number_in(json, total);
  parts.push_back(of ? fmt::format("{} {:.0f}/{:.0f}", word, *value, *of)
                     : fmt::format("{} {:.0f}", word, *value));
}

// One line for each leaf: "optimizer.lr  0.01".
void add_leaves(Table& table, const std::string& prefix, const Json& value) {
  if (!value.is_object() || value.empty()) {
    table.add({prefix, scalar_text(value)});
    return;
  }
  for (const auto& [name, child] : value.items()) {
    add_leaves(table, prefix.empty() ? printable(name) : prefix + "." + printable(name), child);
  }
}

// "22 W", "none" for null, "" for anything else.
std::string watts_text(const Json& json, const char* name) {
  if (json.is_object() && json.contains(name) && json.at(name).is_null()) return "none";
  return number_text(json, name, "{:g} W");
}

// Of an inference job that serves what a training job learns.
void add_serving(std::vector<std::string>& parts, const Json& serving) {
  if (serving.empty()) return;
  if (!number_in(serving, "step")) {
    parts.push_back("untrained");
    return;
  }
  add_number(parts, serving, "step", "weights of step {:.0f}");
  add_number(parts, serving, "accuracy", "with them {:.2f} %", 100);
}

}  // namespace

std::string progress_text(const Json& progress) {
  std::vector<std::string> parts;
  add_share(parts, progress, "epoch", "epoch", "epochs");
  add_share(parts, progress, "minibatch", "minibatch", "minibatches_per_epoch");
  add_number(parts, progress, "train_loss", "loss {:.3f}");
  add_number(parts, progress, "minibatches_per_s", "{:.1f} minibatches/s");
  const Json& validations = list_in(progress, "validations");
  if (!validations.empty()) add_number(parts, validations.back(), "accuracy", "accuracy {:.2f} %", 100);
  if (number_in(progress, "skipped_minibatches").value_or(0) > 0)
    add_number(parts, progress, "skipped_minibatches", "{:.0f} minibatches skipped");
  add_share(parts, progress, "served", "served", "requests");
  add_number(parts, progress, "inside_budget", "{:.2f} % in budget", 100);
  add_number(parts, progress, "latency_p50_ms", "p50 {:.1f} ms");
  add_number(parts, progress, "latency_p99_ms", "p99 {:.1f} ms");
  add_number(parts, progress, "latency_max_ms", "max {:.1f} ms");
  add_number(parts, progress, "accuracy", "accuracy {:.2f} %", 100);
  add_serving(parts, object_in(progress, "serving"));
  if (const auto why = text_in(progress, "waiting_for"); !why.empty()) parts.push_back("waits for " + why);
  if (!text_in(progress, "checkpoint_trouble").empty()) parts.push_back("no checkpoint could be written");
  return joined(parts);
}

std::string epoch_text(const Json& epoch) {
  std::vector<std::string> parts;
  add_number(parts, epoch, "epoch", "epoch {:.0f} ended");
  add_number(parts, epoch, "train_loss", "loss {:.3f}");
  add_number(parts, epoch, "loss", "validation loss {:.3f}");
  add_number(parts, epoch, "accuracy", "accuracy {:.2f} %", 100);
  return joined(parts);
}

std::string mode_text(const Json& mode) {
  std::vector<std::string> parts;
  if (const auto cores = number_in(mode, "cpu_cores")) parts.push_back(counted(*cores, "core"));
  add_number(parts, mode, "cpu_khz", "CPU {:.0f} MHz", 1e-3);
  add_number(parts, mode, "gpu_hz", "GPU {:.0f} MHz", 1e-6);
  add_number(parts, mode, "emc_hz", "EMC {:.0f} MHz", 1e-6);
  return joined(parts, ", ");
}

std::string render_jobs(const Json& answer) {
  const Json& jobs = list_in(answer, "jobs");
  if (jobs.empty()) return "no jobs\n";
  Table table;
  table.add({"ID", "NAME", "KIND", "STATE", "SUBMITTED", "PROGRESS"});
  for (const auto& job : jobs) {
    const auto error = text_in(job, "error");
    table.add({id_text(job), text_in(job, "name"), text_in(job, "kind"), text_in(job, "state"),
               time_text(job, "submitted_ms"),
               error.empty() ? progress_text(object_in(job, "progress")) : error});
  }
  return table.to_string();
}

std::string render_job(const Json& job) {
  Table table;
  add_row(table, "id", id_text(job));
  for (const char* name : {"name", "kind", "state", "error"})
    add_row(table, name, text_in(job, name));
  add_row(table, "submitted", time_text(job, "submitted_ms"));
  add_row(table, "started", time_text(job, "started_ms"));
  add_row(table, "finished", time_text(job, "finished_ms"));
  add_row(table, "progress", progress_text(object_in(job, "progress")));
  if (const Json& spec = object_in(job, "spec"); !spec.empty()) add_leaves(table, "spec", spec);
  return table.to_string();
}

std::string render_result(const Json& result) {
  if (!result.is_object() || result.empty()) return scalar_text(result) + "\n";
  Table table;
  add_leaves(table, "", result);
  return table.to_string();
}

std::string render_budget(const Json& budget) {
  const auto config = watts_text(budget, "config_power_w");
  const auto source = text_in(budget, "source");
  std::string where;
  if (source == "config") where = " (from the configuration)";
  if (source == "set")
    where = config.empty() ? " (set)" : fmt::format(" (set; the configuration has {})", config);
  const auto power = watts_text(budget, "power_w");
  return fmt::format("power budget  {}{}\n", power.empty() ? "?" : power, where);
}

std::string render_methods(const Json& answer) {
  Table table;
  table.add({"METHOD", "WHAT"});
  for (const auto& method : list_in(answer, "methods")) {
    table.add({text_in(method, "name"), text_in(method, "summary")});
  }
  return table.to_string();
}

std::string render_version(const Json& version) {
  std::vector<std::string> libraries;
  for (const auto& [name, number] : object_in(version, "libraries").items()) {
    libraries.push_back(fmt::format("{} {}", printable(name), scalar_text(number)));
  }
  return fmt::format("fulcrumd {} (API {}; {})\n", text_in(version, "fulcrum"),
                     number_text(version, "api", "{:.0f}"), joined(libraries, ", "));
}

}  // namespace fulcrum::cli
