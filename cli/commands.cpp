#include "cli/commands.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/render.h"
#include "cli/spec_file.h"
#include "cli/text.h"
#include "cli/watch.h"
#include "common/suggest.h"
#include "common/version.h"

namespace fulcrum::cli {

namespace {

std::optional<JobId> as_number(const std::string& text) {
  JobId id = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, id);
  if (error != std::errc() || stop != end) return std::nullopt;
  return id;
}

// A positive number of watts, or null for "none".
Outcome<Json> parse_power(const std::string& text) {
  if (text == "none") return Json();
  double power_w = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, power_w, std::chars_format::fixed);
  if (error == std::errc() && stop == end && std::isfinite(power_w) && power_w > 0) return Json(power_w);
  return fails(FailureKind::usage, ErrorCode::invalid_argument,
               fmt::format("'{}' is no power budget: it must be a positive number of watts, or 'none'", text),
               "such as 'fulcrumctl budget set 22.5'");
}

std::string submitted_text(const Json& result) {
  if (const auto id = number_in(result, "id")) return fmt::format("job {:.0f} is submitted\n", *id);
  std::string text = "the spec is valid; nothing was submitted\n";
  const Json& search = object_in(result, "search");
  const auto probes = number_in(search, "probes_at_most");
  const auto seconds = number_in(search, "seconds_at_most");
  if (probes && seconds) {
    text +=
        fmt::format("if nothing is known of it, finding a power mode takes at most {:.0f} probes, {:.0f} s\n",
                    *probes, *seconds);
  }
  return text;
}

std::string cancelled_text(const Json& result) {
  const auto id = number_in(result, "id");
  return id ? fmt::format("job {:.0f} is cancelled\n", *id) : "cancelled\n";
}

}  // namespace

Outcome<JobId> find_job(RpcClient& client, const std::string& text) {
  if (const auto id = as_number(text)) return *id;
  auto answer = client.call("job.list");
  if (!answer) return fails(std::move(answer).error());
  std::vector<std::string> names;
  std::vector<JobId> found;
  for (const auto& job : list_in(*answer, "jobs")) {
    names.push_back(text_in(job, "name"));
    if (names.back() == text) found.push_back(whole_in(job, "id").value_or(0));
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return fails(FailureKind::refused, ErrorCode::not_found, fmt::format("there is no job '{}'", text),
                 nearest_name(text, names) ? did_you_mean(text, names) : "'fulcrumctl list' shows all jobs");
  }
  return fails(FailureKind::refused, ErrorCode::invalid_argument,
               fmt::format("several jobs are named '{}'", text),
               fmt::format("say which by its number: {}", fmt::join(found, ", ")));
}

Outcome<void> Commands::submit(const SubmitOptions& submit) {
  auto spec = load_spec(submit.file, terminal_.in);
  if (!spec) return fails(FailureKind::refused, std::move(spec).error());
  auto client = RpcClient::connect(options_.socket);
  if (!client) return fails(std::move(client).error());
  Json params{{"spec", *std::move(spec)}};
  if (submit.token) params["client_token"] = *submit.token;
  if (submit.dry_run) params["dry_run"] = true;
  auto result = client->call("job.submit", params);
  if (!result) {
    for (auto& fault : result.error().faults)
      tell_field_as_written(fault, "/params/spec");
    return fails(std::move(result).error());
  }
  print(*result, submitted_text);
  const auto id = whole_in(*result, "id");
  if (!submit.wait || !id) return {};
  return follow(*std::move(client), *id);
}

Outcome<void> Commands::list() {
  return show("job.list", render_jobs);
}
Outcome<void> Commands::get(const std::string& job) {
  return show_job("job.get", job, render_job);
}
Outcome<void> Commands::result(const std::string& job) {
  return show_job("job.result", job, render_result);
}
Outcome<void> Commands::cancel(const std::string& job) {
  return show_job("job.cancel", job, cancelled_text);
}
Outcome<void> Commands::plan(bool explain) {
  return explain ? show("plan.explain", render_explanation) : show("plan.get", render_plan);
}

Outcome<void> Commands::budget() {
  return show("budget.get", render_budget);
}
Outcome<void> Commands::set_budget(const std::string& watts) {
  auto power_w = parse_power(watts);
  if (!power_w) return fails(std::move(power_w).error());
  return show("budget.set", render_budget, {{"power_w", *std::move(power_w)}});
}
Outcome<void> Commands::reset_budget() {
  return show("budget.reset", render_budget);
}

Outcome<void> Commands::watch(const std::optional<std::string>& job) {
  auto client = RpcClient::connect(options_.socket);
  if (!client) return fails(std::move(client).error());
  if (!job) return follow(*std::move(client), std::nullopt);
  auto id = find_job(*client, *job);
  if (!id) return fails(std::move(id).error());
  return follow(*std::move(client), *id);
}

Outcome<void> Commands::describe(const std::optional<std::string>& method) {
  if (!method) return show("rpc.describe", render_methods);
  auto client = RpcClient::connect(options_.socket);
  if (!client) return fails(std::move(client).error());
  auto answer = client->call("rpc.describe");
  if (!answer) return fails(std::move(answer).error());
  std::vector<std::string> names;
  for (const auto& each : list_in(*answer, "methods")) {
    names.push_back(text_in(each, "name"));
    if (names.back() != *method) continue;
    terminal_.out << (options_.json ? to_line(each)
                                    : each.dump(2, ' ', false, Json::error_handler_t::replace))
                  << "\n";
    return {};
  }
  return fails(FailureKind::refused, ErrorCode::not_found, fmt::format("there is no method '{}'", *method),
               did_you_mean(*method, names));
}

Outcome<void> Commands::version() {
  if (!options_.json) terminal_.out << "fulcrumctl " << kVersion << "\n";
  return show("system.version", render_version);
}

Outcome<void> Commands::show(const std::string& method, Renderer renderer, const Json& params) {
  auto client = RpcClient::connect(options_.socket);
  if (!client) return fails(std::move(client).error());
  auto result = client->call(method, params);
  if (!result) return fails(std::move(result).error());
  print(*result, renderer);
  return {};
}

Outcome<void> Commands::show_job(const std::string& method, const std::string& job, Renderer renderer) {
  auto client = RpcClient::connect(options_.socket);
  if (!client) return fails(std::move(client).error());
  auto id = find_job(*client, job);
  if (!id) return fails(std::move(id).error());
  auto result = client->call(method, {{"id", *id}});
  if (!result) return fails(std::move(result).error());
  print(*result, renderer);
  return {};
}

void Commands::print(const Json& result, Renderer renderer) {
  terminal_.out << (options_.json ? to_line(result) + "\n" : renderer(result)) << std::flush;
}

Outcome<void> Commands::follow(RpcClient client, std::optional<JobId> job) {
  WatchOptions watch_options;
  watch_options.socket = options_.socket;
  watch_options.job = job;
  watch_options.json = options_.json;
  return cli::watch(watch_options, std::move(client), terminal_);
}

}  // namespace fulcrum::cli
