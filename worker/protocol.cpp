#include "worker/protocol.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "common/json_integer.h"
#include "worker/protocol_parts.h"

namespace fulcrum::worker {

namespace {

// ---- how the body of each message is written and read; kName is its type ----

template <class T>
struct Codec;

template <>
struct Codec<Configure> {
  static constexpr const char* kName = "configure";
  static Json write(const Configure& m) {
    return {{"protocol", m.protocol}, {"heartbeat_ms", m.heartbeat_ms}};
  }
  static Configure read(const Json& j) {
    return {integer_from<int>(j.at("protocol")), integer_from<int>(j.at("heartbeat_ms"))};
  }
};

template <>
struct Codec<CheckJob> {
  static constexpr const char* kName = "check_job";
  static Json write(const CheckJob& m) { return {{"request", m.request}, {"spec", m.spec.to_json()}}; }
  static CheckJob read(const Json& j) {
    return {integer_from<std::uint64_t>(j.at("request")), spec_from(j.at("spec"))};
  }
};

template <>
struct Codec<StartJob> {
  static constexpr const char* kName = "start_job";
  static Json write(const StartJob& m) {
    return {{"job", m.job},
            {"spec", m.spec.to_json()},
            {"checkpoint_directory", m.checkpoint_directory},
            {"threads", m.threads},
            {"pace", pace_json(m.pace)},
            {"resume", m.resume},
            {"measure", m.measure},
            {"served", served_json(m.served)}};
  }
  static StartJob read(const Json& j) {
    return {integer_from<JobId>(j.at("job")),
            spec_from(j.at("spec")),
            j.at("checkpoint_directory").get<std::string>(),
            integer_from<int>(j.at("threads")),
            pace_from(j.at("pace")),
            j.at("resume"),
            j.at("measure").get<bool>(),
            served_from(j.at("served"))};
  }
};

template <>
struct Codec<StopJob> {
  static constexpr const char* kName = "stop_job";
  static Json write(const StopJob& m) { return {{"job", m.job}}; }
  static StopJob read(const Json& j) { return {integer_from<JobId>(j.at("job"))}; }
};

template <>
struct Codec<Hold> {
  static constexpr const char* kName = "hold";
  static Json write(const Hold&) { return Json::object(); }
  static Hold read(const Json&) { return {}; }
};

template <>
struct Codec<SetPlan> {
  static constexpr const char* kName = "set_plan";
  static Json write(const SetPlan& m) {
    Json paces = Json::array();
    for (const auto& pace : m.paces)
      paces.push_back({{"job", pace.job}, {"entries", entries_json(pace.entries)}});
    return {{"plan", m.plan.to_json()}, {"paces", std::move(paces)}, {"probe", probe_json(m.probe)}};
  }
  static SetPlan read(const Json& j) {
    auto plan = scheduler::Plan::from_json(j.at("plan"));
    if (!plan) throw std::invalid_argument(plan.error().message);
    SetPlan m{std::move(*plan), {}, probe_from(j.at("probe"))};
    for (const auto& pace : j.at("paces"))
      m.paces.push_back({integer_from<JobId>(pace.at("job")), entries_from(pace.at("entries"))});
    return m;
  }
};

template <class T>
T valid(Expected<T> value) {
  if (!value) throw std::invalid_argument(value.error().to_string());
  return std::move(*value);
}

template <>
struct Codec<Think> {
  static constexpr const char* kName = "think";
  static Json write(const Think& m) {
    return {{"id", m.id},
            {"strategy", m.strategy},
            {"seed", m.seed},
            {"problem", m.problem.to_json()},
            {"profiles", m.profiles.to_json()}};
  }
  static Think read(const Json& j) {
    return {integer_from<std::uint64_t>(j.at("id")), j.at("strategy").get<std::string>(),
            integer_from<std::uint64_t>(j.at("seed")), valid(scheduler::Problem::from_json(j.at("problem"))),
            valid(scheduler::ProfileSet::from_json(j.at("profiles")))};
  }
};

template <>
struct Codec<Shutdown> {
  static constexpr const char* kName = "shutdown";
  static Json write(const Shutdown&) { return Json::object(); }
  static Shutdown read(const Json&) { return {}; }
};

template <>
struct Codec<Hello> {
  static constexpr const char* kName = "hello";
  static Json write(const Hello& m) {
    return {{"protocol", m.protocol},
            {"version", m.version},
            {"torch_version", m.torch_version},
            {"device", m.device}};
  }
  static Hello read(const Json& j) {
    return {integer_from<int>(j.at("protocol")), j.at("version").get<std::string>(),
            j.at("torch_version").get<std::string>(), j.at("device").get<std::string>()};
  }
};

template <>
struct Codec<Heartbeat> {
  static constexpr const char* kName = "heartbeat";
  static Json write(const Heartbeat&) { return Json::object(); }
  static Heartbeat read(const Json&) { return {}; }
};

template <>
struct Codec<JobChecked> {
  static constexpr const char* kName = "job_checked";
  static Json write(const JobChecked& m) {
    Json faults = Json::array();
    for (const auto& fault : m.faults)
      faults.push_back(to_json(fault));
    return {{"request", m.request}, {"faults", std::move(faults)}};
  }
  static JobChecked read(const Json& j) {
    JobChecked m{integer_from<std::uint64_t>(j.at("request")), {}};
    for (const auto& fault : j.at("faults"))
      m.faults.push_back(error_from(fault));
    return m;
  }
};

template <>
struct Codec<JobReady> {
  static constexpr const char* kName = "job_ready";
  static Json write(const JobReady& m) {
    return {{"job", m.job}, {"step_times", step_times_json(m.step_times)}, {"kappa", json_or_null(m.kappa)}};
  }
  static JobReady read(const Json& j) {
    return {integer_from<JobId>(j.at("job")), step_times_from(j.at("step_times")),
            optional_from(j.at("kappa"))};
  }
};

template <>
struct Codec<Held> {
  static constexpr const char* kName = "held";
  static Json write(const Held&) { return Json::object(); }
  static Held read(const Json&) { return {}; }
};

template <>
struct Codec<JobProgress> {
  static constexpr const char* kName = "job_progress";
  static Json write(const JobProgress& m) {
    return {{"job", m.job},
            {"progress", m.progress},
            {"resume", m.resume},
            {"step_times", step_times_json(m.step_times)}};
  }
  static JobProgress read(const Json& j) {
    return {integer_from<JobId>(j.at("job")), j.at("progress"), j.at("resume"),
            step_times_from(j.at("step_times"))};
  }
};

template <>
struct Codec<Load> {
  static constexpr const char* kName = "load";
  static Json write(const Load& m) {
    Json slices = Json::array();
    for (const auto& slice : m.slices)
      slices.push_back(slice_json(slice));
    return {{"slices", std::move(slices)}, {"running", m.running ? slice_json(*m.running) : Json()}};
  }
  static Load read(const Json& j) {
    Load m;
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const auto& slice : j.at("slices")) {
      m.slices.push_back(slice_from(slice));
      if (m.slices.back().started_ns < latest || m.slices.back().ended_ns < m.slices.back().started_ns)
        throw std::invalid_argument("slices out of order");
      latest = m.slices.back().ended_ns;
    }
    if (const auto& running = j.at("running"); !running.is_null()) m.running = slice_from(running);
    return m;
  }
};

Json measure_json(const std::optional<scheduler::Measure>& measure) {
  if (!measure) return nullptr;
  return {{"task", to_string(measure->task)},
          {"mode", measure->mode.to_json()},
          {"batch_size", measure->batch_size}};
}

std::optional<scheduler::Measure> measure_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return scheduler::Measure{valid(parse_workload_task(json.at("task").get<std::string>())),
                            valid(PowerMode::from_json(json.at("mode"))),
                            integer_from<int>(json.at("batch_size"))};
}

template <>
struct Codec<Thought> {
  static constexpr const char* kName = "thought";
  static Json write(const Thought& m) {
    return {
        {"id", m.id}, {"measure", measure_json(m.measure)}, {"error", m.error ? to_json(*m.error) : Json()}};
  }
  static Thought read(const Json& j) {
    Thought m;
    m.id = integer_from<std::uint64_t>(j.at("id"));
    m.measure = measure_from(j.at("measure"));
    if (!j.at("error").is_null()) m.error = error_from(j.at("error"));
    return m;
  }
};

constexpr const char* kOutcomes[] = {"done", "failed", "stopped"};

Outcome outcome_from(const std::string& name) {
  for (int i = 0; i < 3; ++i) {
    if (name == kOutcomes[i]) return static_cast<Outcome>(i);
  }
  throw std::invalid_argument("unknown outcome '" + name + "'");
}

template <>
struct Codec<JobEnded> {
  static constexpr const char* kName = "job_ended";
  static Json write(const JobEnded& m) {
    return {{"job", m.job},           {"outcome", kOutcomes[static_cast<int>(m.outcome)]},
            {"progress", m.progress}, {"error", m.error ? to_json(*m.error) : Json()},
            {"resume", m.resume},     {"result", m.result}};
  }
  static JobEnded read(const Json& j) {
    JobEnded m;
    m.job = integer_from<JobId>(j.at("job"));
    m.outcome = outcome_from(j.at("outcome").get<std::string>());
    if (!j.at("error").is_null()) m.error = error_from(j.at("error"));
    m.progress = j.at("progress");
    m.resume = j.at("resume");
    m.result = j.at("result");
    return m;
  }
};

template <class Variant>
std::string variant_to_line(const Variant& message) {
  return std::visit(
      [](const auto& m) {
        using Message = std::decay_t<decltype(m)>;
        return fulcrum::to_line(Json{{"type", Codec<Message>::kName}, {"body", Codec<Message>::write(m)}}) +
               "\n";
      },
      message);
}

template <class Variant, std::size_t I = 0>
Expected<Variant> read_as(const std::string& type, const Json& body) {
  if constexpr (I == std::variant_size_v<Variant>) {
    return fail(ErrorCode::invalid_argument, fmt::format("unknown message type '{}'", type));
  } else {
    using Message = std::variant_alternative_t<I, Variant>;
    if (type == Codec<Message>::kName) return Variant(Codec<Message>::read(body));
    return read_as<Variant, I + 1>(type, body);
  }
}

template <class Variant>
Expected<Variant> parse(std::string_view line) {
  FULCRUM_TRY_ASSIGN(json, parse_json(line));
  try {
    return read_as<Variant>(json.at("type").get<std::string>(), json.at("body"));
  } catch (const std::exception& e) {
    return fail(ErrorCode::invalid_argument, fmt::format("malformed message: {}", e.what()));
  }
}

}  // namespace

std::string to_line(const ToWorker& message) {
  return variant_to_line(message);
}
std::string to_line(const FromWorker& message) {
  return variant_to_line(message);
}
Expected<ToWorker> parse_to_worker(std::string_view line) {
  return parse<ToWorker>(line);
}
Expected<FromWorker> parse_from_worker(std::string_view line) {
  return parse<FromWorker>(line);
}

}  // namespace fulcrum::worker
