#pragma once
// What one board turns out to have, part by part: what was found and where, what is missing, what that
// disables and what to do about it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"
#include "powermode/board_description.h"
#include "powermode/board_nodes.h"
#include "powermode/file_tree.h"
#include "powermode/presets.h"
#include "powermode/sensor_nodes.h"

namespace fulcrum {

struct Finding {
  enum class Weight {
    fine,
    note,      // worth knowing
    disables,  // something that Fulcrum can do without
    blocks,    // Fulcrum cannot do its job here
  };
  std::string part;
  Weight weight = Weight::fine;
  std::string what;    // was found, or is missing
  std::string effect;  // of its being missing
  std::string fix;     // may be empty

  Json to_json() const;
  [[nodiscard]] static Expected<Finding> from_json(const Json& json);
};
std::string_view to_string(Finding::Weight weight);

// Nothing blocks.
bool fit(const std::vector<Finding>& findings);
std::string_view verdict(bool fit);  // for people

// For people: a line each, with the effect and what to do below it where something is missing.
std::string to_text(const std::vector<Finding>& findings);

namespace powermode {

struct BoardParts {
  KnobNodes knobs;
  BoardLevels levels;
  PowerNodes power;
  std::vector<std::string> temperatures;
  std::vector<ThrottleNode> throttle_counters;
  std::string gpu_load;  // empty: none
  PresetCatalogue catalogue;
  std::vector<Finding> findings;
  std::optional<Error> blocked;  // the first part that Fulcrum cannot do without
};

// Goes on past what is missing, so that all of it can be told.
BoardParts find_parts(const FileTree& tree, const BoardDescription& description);

}  // namespace powermode

}  // namespace fulcrum
