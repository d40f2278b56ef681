#pragma once
// Setting power modes through nvpmodel, as its own presets or as custom modes. What comes of it is read back
// from the board, whatever nvpmodel says.

#include <optional>
#include <string>

#include "common/error.h"
#include "powermode/board.h"
#include "powermode/nvpmodel_program.h"

namespace fulcrum::powermode {

class NvpmodelSetter {
 public:
  // Custom catalogues are written to `conf_path`. The board outlives this. `unsupported`: the board has no
  // catalogue.
  [[nodiscard]] static Expected<NvpmodelSetter> make(const Board& board, NvpmodelProgram program,
                                                     std::string conf_path);

  // Caps the clocks at the mode, in which minimums are as low as they go. `unsupported`: it needs a reboot;
  // `unavailable`: the board is in another mode afterwards.
  [[nodiscard]] Expected<void> set(const PowerMode& mode) const;

  // What nvpmodel was last told to set; where it does not say, what it sets by itself at boot.
  int requested() const;

 private:
  NvpmodelSetter(const Board& board, NvpmodelProgram program, std::string conf_path)
      : board_(&board), program_(std::move(program)), conf_path_(std::move(conf_path)) {}

  [[nodiscard]] Expected<void> set_custom(const PowerMode& mode) const;
  [[nodiscard]] Expected<void> check(const PowerMode& mode) const;

  const Board* board_;
  NvpmodelProgram program_;
  std::string conf_path_;
};

}  // namespace fulcrum::powermode
