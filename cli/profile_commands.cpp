// The commands of 'fulcrumctl profile'.

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/profile_document.h"
#include "cli/render.h"
#include "cli/render_parts.h"
#include "cli/text.h"

namespace fulcrum::cli {

namespace {

Json about(const std::optional<std::string>& workload) {
  Json params = Json::object();
  if (workload) params["workload"] = *workload;
  return params;
}

std::string forgotten_text(const Json& result) {
  const auto forgotten = number_in(result, "forgotten");
  return forgotten ? fmt::format("{} forgotten\n", counted(*forgotten, "measurement")) : "forgotten\n";
}

std::string explored_text(const Json& result) {
  const auto probes = number_in(result, "probes");
  if (probes && *probes == 0) return "no more are taken\n";
  return fmt::format("at most {}{}\n", counted(probes.value_or(0), "probe"),
                     number_text(result, "seconds_at_most", ", {:.0f} s"));
}

std::string imported_text(const Json& counts) {
  return fmt::format("{} added, {:.0f} known before\n",
                     counted(number_in(counts, "added").value_or(0), "measurement"),
                     number_in(counts, "known").value_or(0));
}

std::string exported_text(const Json& result) {
  return fmt::format("{} written to '{}'\n",
                     counted(number_in(result, "measurements").value_or(0), "measurement"),
                     text_in(result, "file"));
}

tl::unexpected<Failure> nonsense(const std::string& what) {
  return fails(FailureKind::unreachable, ErrorCode::corrupt,
               "the daemon's answer to profile.export makes no sense: " + what, "is it another version?");
}

// Where the next part begins; nothing after the last.
Outcome<std::optional<std::int64_t>> next_of(const Json& answer, std::int64_t offset) {
  if (answer.is_object() && answer.contains("next") && answer.at("next").is_null()) return std::nullopt;
  const auto next = whole_in(answer, "next");
  if (!next || *next <= offset) return nonsense("it does not say where the next part begins");
  return next;
}

// All parts as one document.
Outcome<Json> fetch_document(RpcClient& client, const std::optional<std::string>& workload) {
  Json document;
  Json params = about(workload);
  params["limit"] = kMeasurementsAtOnce;
  for (std::optional<std::int64_t> offset = 0; offset;) {
    params["offset"] = *offset;
    auto answer = client.call("profile.export", params);
    if (!answer) return fails(std::move(answer).error());
    const Json& part = object_in(*answer, "document");
    if (!part.contains("measurements") || !part.at("measurements").is_array())
      return nonsense("it has no document with measurements");
    if (document.is_null()) {
      document = part;
    } else {
      for (const auto& measurement : part.at("measurements"))
        document["measurements"].push_back(measurement);
    }
    auto next = next_of(*answer, *offset);
    if (!next) return fails(std::move(next).error());
    offset = *next;
  }
  return document;
}

// "/params/document/measurements/3/power_w" of a part -> the same of the whole document.
void count_from_start(std::string& field, std::size_t first) {
  const std::string list = "/params/document/measurements/";
  if (field.rfind(list, 0) != 0) return;
  std::size_t number = 0;
  const char* digits = field.data() + list.size();
  const auto [stop, error] = std::from_chars(digits, field.data() + field.size(), number);
  if (error != std::errc()) return;
  field.replace(list.size(), static_cast<std::size_t>(stop - digits), std::to_string(first + number));
}

// Faults where the user finds them, and what was imported before them.
Failure told_as_written(Failure failure, const std::string& file, std::size_t first) {
  for (auto& fault : failure.faults) {
    count_from_start(fault.field, first);
    if (tell_field_as_written(fault, "/params/document")) fault.context.push_back(file);
  }
  if (first > 0) {
    failure.faults.push_back(Error{ErrorCode::unavailable,
                                   fmt::format("the first {} measurements of {} are imported", first, file),
                                   "the same import again goes on with the others",
                                   {},
                                   {}});
  }
  return failure;
}

}  // namespace

Outcome<void> Commands::profiles(const std::optional<std::string>& workload) {
  return show("profile.list", render_profiles, about(workload));
}

Outcome<void> Commands::forget_profiles(const std::optional<std::string>& workload) {
  return show("profile.forget", forgotten_text, workload ? about(workload) : Json{{"all", true}});
}

Outcome<void> Commands::explore_profiles(int probes) {
  return show("profile.explore", explored_text, {{"probes", probes}});
}

Outcome<void> Commands::export_profiles(const ExportOptions& wanted) {
  auto client = RpcClient::connect(options_.socket);
  if (!client) return fails(std::move(client).error());
  auto document = fetch_document(*client, wanted.workload);
  if (!document) return fails(std::move(document).error());
  if (wanted.file == "-") {
    terminal_.out << document_text(*document) << std::flush;
    return {};
  }
  if (auto written = write_output(wanted.file, document_text(*document)); !written)
    return fails(FailureKind::refused, std::move(written).error());
  print({{"measurements", document->at("measurements").size()}, {"file", wanted.file}}, exported_text);
  return {};
}

Outcome<void> Commands::import_profiles(const ImportOptions& wanted) {
  auto document = load_profiles(wanted.file, terminal_.in);
  if (!document) return fails(FailureKind::refused, std::move(document).error());
  auto client = RpcClient::connect(options_.socket);
  if (!client) return fails(std::move(client).error());
  const std::size_t size = document->at("measurements").size();
  std::int64_t added = 0;
  std::int64_t known = 0;
  std::size_t first = 0;
  do {  // once also for none: the daemon checks the rest of the document
    Json params{{"document", part_of(*document, first)}};
    if (wanted.equal_board) params["equal_board"] = true;
    auto answer = client->call("profile.import", params);
    if (!answer) return fails(told_as_written(std::move(answer).error(), input_name(wanted.file), first));
    added += whole_in(*answer, "added").value_or(0);
    known += whole_in(*answer, "known").value_or(0);
    first += kMeasurementsAtOnce;
  } while (first < size);
  print({{"added", added}, {"known", known}}, imported_text);
  return {};
}

}  // namespace fulcrum::cli
