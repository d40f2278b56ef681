#pragma once
// Measurements as a JSON document, so that a fleet of equal boards profiles once:
//
//   {"format": "fulcrum-profiles", "version": 1, "measurements": [<Measurement::to_json>, ...]}

#include <string>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"
#include "profiler/measurement.h"

namespace fulcrum::profiler {

Json write_exchange(const std::vector<Measurement>& measurements);

enum class ForeignBoards {
  refuse,
  take_as_ours,  // whoever asks for it vouches that the boards are equal
};

// The measurements, all of board `board_id`; or every fault of the document, among them one for each board
// that is another.
[[nodiscard]] tl::expected<std::vector<Measurement>, std::vector<Error>> read_exchange(
    const Json& document, const std::string& board_id, ForeignBoards foreign = ForeignBoards::refuse);

}  // namespace fulcrum::profiler
