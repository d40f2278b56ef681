#include "profiler/profile_exchange.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "common/json_fields.h"

namespace fulcrum::profiler {

namespace {

using Faults = std::vector<Error>;
using Measurements = std::vector<Measurement>;

constexpr const char* kExchangeFormat = "fulcrum-profiles";
constexpr int kVersion = 1;

void check_header(JsonFields& fields) {
  std::string format;
  fields.read_choice("format", format, {kExchangeFormat}, {}, JsonFields::Need::required);
  int version = kVersion;
  if (fields.read("version", version, Interval::between(1, 1e6), JsonFields::Need::required) &&
      version != kVersion) {
    fields.fault("version", ErrorCode::unsupported,
                 fmt::format("is {}, and this Fulcrum knows {} only", version, kVersion),
                 "export it again with the Fulcrum that is installed here");
  }
}

Measurements read_measurements(JsonFields& fields, Faults& faults) {
  const Json* json = fields.find("measurements", JsonFields::Need::required);
  if (json == nullptr) return {};
  if (!json->is_array()) {
    fields.fault("measurements", ErrorCode::invalid_argument, "must be a list");
    return {};
  }
  Measurements measurements;
  for (std::size_t i = 0; i < json->size(); ++i) {
    auto measurement = Measurement::read((*json)[i], fmt::format("/measurements/{}", i), faults);
    measurements.push_back(std::move(measurement).value_or(Measurement{}));
  }
  return measurements;
}

// One fault for each board, at the first measurement of it.
void refuse_foreign_boards(const Measurements& measurements, const std::string& board_id, Faults& faults) {
  std::set<std::string> told{board_id, Measurement{}.key.board_id};
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const auto& theirs = measurements[i].key.board_id;
    if (!told.insert(theirs).second) continue;
    faults.push_back({ErrorCode::invalid_argument,
                      fmt::format("was measured on a board '{}', and this is a '{}'", theirs, board_id),
                      "say that they are equal boards, if they are",
                      fmt::format("/measurements/{}/board", i),
                      {}});
  }
}

}  // namespace

Json write_exchange(const Measurements& measurements) {
  Json list = Json::array();
  for (const auto& measurement : measurements)
    list.push_back(measurement.to_json());
  return {{"format", kExchangeFormat}, {"version", kVersion}, {"measurements", std::move(list)}};
}

tl::expected<Measurements, Faults> read_exchange(const Json& document, const std::string& board_id,
                                                 ForeignBoards foreign) {
  Faults faults;
  JsonFields fields(document, "", faults);
  check_header(fields);
  auto measurements = read_measurements(fields, faults);
  fields.finish();
  if (foreign == ForeignBoards::refuse) refuse_foreign_boards(measurements, board_id, faults);
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  for (auto& measurement : measurements)
    measurement.key.board_id = board_id;
  return measurements;
}

}  // namespace fulcrum::profiler
