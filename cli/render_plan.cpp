#include "cli/render_plan.h"

#include <fmt/format.h>

#include <vector>

#include "cli/render.h"
#include "cli/render_parts.h"

namespace fulcrum::cli {

namespace {

std::string inference_table(const Json& jobs) {
  Table table;
  table.add({"INFERENCE", "NAME", "BATCH", "WINDOW", "STEP P99", "LATENCY", "BUDGET", "WARNING"});
  for (const auto& job : jobs) {
    table.add({id_text(job, "job"), text_in(job, "name"), number_text(job, "batch_size", "{:.0f}"),
               number_text(job, "window_ms", "{:.1f} ms"), number_text(job, "step_p99_ms", "{:.2f} ms"),
               number_text(job, "expected_latency_ms", "{:.1f} ms"),
               number_text(job, "latency_budget_ms", "{:g} ms"), text_in(job, "warning")});
  }
  return "\n" + table.to_string();
}

std::string training_table(const Json& jobs) {
  Table table;
  table.add({"TRAINING", "NAME", "STEP P99", "WARNING"});
  for (const auto& job : jobs) {
    table.add({id_text(job, "job"), text_in(job, "name"), number_text(job, "step_p99_ms", "{:.2f} ms"),
               text_in(job, "warning")});
  }
  return "\n" + table.to_string();
}

}  // namespace

std::string render_plan(const Json& answer) {
  Table head;
  add_troubles(head, answer);
  const Json& plan = object_in(answer, "plan");
  if (plan.empty()) {
    add_notes(head, answer);
    return head.to_string() + kNothingPlanned;
  }
  add_row(head, "policy", text_in(plan, "policy"));
  add_row(head, "mode", named_mode_text(plan));
  const Json& training = list_in(plan, "training");
  if (!training.empty()) {
    std::vector<std::string> share;
    add_number(share, plan, "training_per_window", "{:.0f} minibatches");
    add_number(share, plan, "window_ms", "a window of {:.1f} ms");
    add_number(share, plan, "expected_train_minibatches_per_s", "{:.1f}/s at most");
    add_row(head, "training", joined(share, ", "));
  }
  add_paragraph(head, "warning", text_in(plan, "warning"));
  add_notes(head, answer);
  std::string text = head.to_string();
  if (const Json& jobs = list_in(plan, "inference"); !jobs.empty()) text += inference_table(jobs);
  if (!training.empty()) text += training_table(training);
  return text;
}

void add_troubles(Table& head, const Json& answer) {
  for (const auto* trouble : {"worker_trouble", "board_trouble"})
    add_paragraph(head, "trouble", text_in(answer, trouble));
}

void add_notes(Table& head, const Json& answer) {
  for (const auto& note : texts_in(answer, "notes"))
    add_paragraph(head, "note", note);
}

}  // namespace fulcrum::cli
