#pragma once
// Why a slice began when it did.

#include <optional>
#include <string_view>

namespace fulcrum::scheduler {

enum class SliceReason {
  full_batch,    // as many requests waited as the plan puts in a batch
  latest_start,  // the oldest request could wait no longer
  free_time,     // training: it ends before the device is needed
  new_job,       // a step of a job that is being measured before it has a plan
  probe,         // a step that a search for the power mode asked for
};

std::string_view to_string(SliceReason reason);
std::optional<SliceReason> slice_reason_from(std::string_view name);

}  // namespace fulcrum::scheduler
