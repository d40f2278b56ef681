// 'fulcrumctl trace'.

#include <fmt/format.h>

#include <utility>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/render_parts.h"
#include "cli/text.h"
#include "cli/trace_document.h"

namespace fulcrum::cli {

namespace {

tl::unexpected<Failure> nonsense(const std::string& what) {
  return fails(FailureKind::unreachable, ErrorCode::corrupt,
               "the daemon's answer to trace.get makes no sense: " + what, "is it another version?");
}

Outcome<Json> fetch_slices(RpcClient& client, double seconds) {
  Json slices = Json::array();
  Json params{{"seconds", seconds}};
  while (true) {
    auto answer = client.call("trace.get", params);
    if (!answer) return fails(std::move(answer).error());
    for (const auto& slice : list_in(*answer, "slices"))
      slices.push_back(slice);
    if (answer->is_object() && answer->contains("next") && answer->at("next").is_null()) return slices;
    const auto next = whole_in(*answer, "next");
    const auto end = whole_in(*answer, "end");
    if (!next || !end || *next <= whole_in(params, "from").value_or(-1))
      return nonsense("it does not say where the next part begins");
    params["from"] = *next;
    if (!params.contains("to")) params["to"] = *end;
  }
}

std::string written_text(const Json& result) {
  return fmt::format("{} written to '{}': open it in https://ui.perfetto.dev\n",
                     counted(number_in(result, "slices").value_or(0), "slice"), text_in(result, "file"));
}

}  // namespace

Outcome<void> Commands::trace(const TraceOptions& wanted) {
  auto client = RpcClient::connect(options_.socket);
  if (!client) return fails(std::move(client).error());
  auto slices = fetch_slices(*client, wanted.seconds);
  if (!slices) return fails(std::move(slices).error());
  const std::string text = to_line(chrome_trace(*slices)) + "\n";
  if (wanted.file == "-") {
    terminal_.out << text << std::flush;
    return {};
  }
  if (auto written = write_output(wanted.file, text); !written)
    return fails(FailureKind::refused, std::move(written).error());
  print({{"slices", slices->size()}, {"file", wanted.file}}, written_text);
  return {};
}

}  // namespace fulcrum::cli
