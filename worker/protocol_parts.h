#pragma once
// The JSON of what the messages of protocol.h are made of. Reading throws (Json::exception,
// std::invalid_argument) for what is none; parse_to_worker() and parse_from_worker() are where that stops.

#include <optional>
#include <vector>

#include "worker/protocol.h"

namespace fulcrum::worker {

Error error_from(const Json& json);
JobSpec spec_from(const Json& json);

Json step_times_json(const std::vector<scheduler::StepTime>& times);
std::vector<scheduler::StepTime> step_times_from(const Json& json);

std::optional<double> optional_from(const Json& json);

Json entries_json(const std::vector<PaceEntry>& entries);
std::vector<PaceEntry> entries_from(const Json& json);
Json pace_json(const std::optional<Pace>& pace);
std::optional<Pace> pace_from(const Json& json);

Json probe_json(const std::optional<ProbeOrder>& probe);
std::optional<ProbeOrder> probe_from(const Json& json);

Json served_json(const std::optional<ServedJob>& served);
std::optional<ServedJob> served_from(const Json& json);

Json slice_json(const DeviceSlice& slice);
DeviceSlice slice_from(const Json& json);

}  // namespace fulcrum::worker
