#include "powermode/nvpmodel_setter.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/durable_file.h"
#include "powermode/nvpmodel_custom.h"

namespace fulcrum::powermode {

Expected<NvpmodelSetter> NvpmodelSetter::make(const Board& board, NvpmodelProgram program,
                                              std::string conf_path) {
  const char* hint = "set apply: sysfs in the configuration";
  const auto& catalogue = board.catalogue();
  if (!catalogue.conf) {
    return fail(ErrorCode::unsupported,
                fmt::format("power modes cannot be set through nvpmodel: {}",
                            catalogue.trouble.empty() ? fmt::format("'{}' is not there", kNvpmodelConf)
                                                      : catalogue.trouble),
                hint);
  }
  NvpmodelSetter setter(board, std::move(program), std::move(conf_path));
  // At the end it is told its mode again, which it must be able to set.
  for (const auto& preset : board.presets()) {
    if (preset.nvpmodel_id != setter.requested()) continue;
    if (const auto why = board.why_unreachable(preset); !why.empty()) {
      return fail(ErrorCode::unsupported,
                  fmt::format("power modes cannot be set through nvpmodel: its own, {}, needs a reboot: {}",
                              preset.name, why),
                  hint);
    }
  }
  return setter;
}

// An id that the catalogue lacks is of another catalogue, or of a release before.
int NvpmodelSetter::requested() const {
  const auto& conf = *board_->catalogue().conf;
  const auto status = board_->nvpmodel_status();
  if (status && conf.model(*status) != nullptr) return *status;
  return conf.default_id.value_or(conf.models.front().id);
}

Expected<void> NvpmodelSetter::set(const PowerMode& mode) const {
  const auto& presets = board_->presets();
  const auto preset = std::find_if(presets.begin(), presets.end(), [&](const Preset& candidate) {
    return candidate.mode == mode && candidate.nvpmodel_id && candidate.differences.empty() &&
           board_->why_unreachable(candidate).empty();
  });
  if (preset != presets.end()) {
    FULCRUM_TRY(program_.set(*preset->nvpmodel_id));
  } else {
    FULCRUM_TRY(set_custom(mode));
  }
  return check(mode);
}

Expected<void> NvpmodelSetter::set_custom(const PowerMode& mode) const {
  const auto& catalogue = board_->catalogue();
  const auto& conf = *catalogue.conf;
  const auto* base = conf.model(requested());
  if (base == nullptr) base = &conf.models.front();
  FULCRUM_TRY_ASSIGN(custom, board_->custom_nvpmodel_mode(mode));
  // nvpmodel keeps the number, and sets at the next boot what its own catalogue has under it: so after a
  // power cut the board is in the mode that it was in before.
  custom.id = base->id;
  custom.name = "FULCRUM";
  const auto text = custom_nvpmodel_conf(conf, *base, catalogue.new_kernel, custom);
  if (auto written = replace_file(conf_path_, text, Durability::atomic, 0644); !written)
    return in_context(std::move(written).error(), "writing a catalogue for nvpmodel");
  return program_.set(conf_path_, custom.id);
}

Expected<void> NvpmodelSetter::check(const PowerMode& mode) const {
  FULCRUM_TRY_ASSIGN(now, board_->read_mode());
  if (board_->reads_as(now, mode)) return {};
  return fail(ErrorCode::unavailable,
              fmt::format("nvpmodel says that it has set '{}', but the board is in '{}'", mode.to_string(),
                          now.to_string()),
              "is fulcrumd in a container, or does another program change the clocks? apply: sysfs may help");
}

}  // namespace fulcrum::powermode
