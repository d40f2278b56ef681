#include "powermode/restore_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace fulcrum {

namespace {
bool failed(const RestoreReport::Knob& knob) {
  return !knob.error.empty();
}
}  // namespace

bool RestoreReport::complete() const {
  return std::none_of(knobs.begin(), knobs.end(), failed);
}

std::string RestoreReport::summary() const {
  const auto failures = std::count_if(knobs.begin(), knobs.end(), failed);
  if (failures == 0) return fmt::format("{} knobs restored", knobs.size());
  const auto& first = *std::find_if(knobs.begin(), knobs.end(), failed);
  return fmt::format("{} of {} knobs not restored; '{}': wanted '{}', found '{}': {}", failures, knobs.size(),
                     first.path, first.wanted, first.found, first.error);
}

Json RestoreReport::to_json() const {
  Json list = Json::array();
  for (const auto& knob : knobs) {
    list.push_back(
        {{"path", knob.path}, {"wanted", knob.wanted}, {"found", knob.found}, {"error", knob.error}});
  }
  return {{"complete", complete()}, {"knobs", std::move(list)}};
}

}  // namespace fulcrum
