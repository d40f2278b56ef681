#include "powermode/simulated_nvpmodel_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <istream>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

#include "common/durable_file.h"
#include "powermode/node_text.h"
#include "powermode/nvpmodel_conf.h"
#include "powermode/nvpmodel_output.h"
#include "powermode/presets.h"
#include "powermode/simulated_hardware.h"
#include "powermode/simulated_nvpmodel.h"
#include "powermode/simulated_nvpmodel_options.h"
#include "powermode/simulated_nvpmodel_settings.h"

namespace fulcrum {

namespace {

using powermode::NvpmodelOptions;
using powermode::NvpmodelSettings;
using powermode::parse_number;
using powermode::read_node_text;
using powermode::SimulatedHardware;

constexpr int kDone = 0;
constexpr int kFailed = 255;
constexpr std::size_t kMostConfBytes = 1U << 20;

// What it says at last about a request that came to nothing. Real ones say other numbers here as well; what
// they mean is not known.
constexpr int kNothingAsked = 0;
constexpr int kNotApproved = 1;
constexpr int kNotSet = 2;

constexpr std::string_view kGating = "_POWER_GATING";

bool is_gating(const NvpmodelConf::Setting& setting) {
  const auto at = setting.param.rfind(kGating);
  return at != std::string::npos && at + kGating.size() == setting.param.size();
}

bool is_same(const std::string& holds, const std::string& wanted) {
  const auto a = parse_number(holds);
  const auto b = parse_number(wanted);
  return a && b ? *a == *b : holds == wanted;
}

class Nvpmodel {
 public:
  Nvpmodel(SimulatedFileTree& board, const SimulatedHardware::Kernel& kernel, NvpmodelOptions options,
           std::istream& in, std::ostream& out, std::ostream& err)
      : board_(board),
        kernel_(kernel),
        options_(std::move(options)),
        conf_path_(options_.conf.value_or(kNvpmodelConf)),
        in_(in),
        out_(out),
        err_(err) {}

  int run() {
    behaviour_ = read_node_text(board_, kSimulatedNvpmodel).value_or("works");
    if (behaviour_ == "hangs") hang();
    if (!load_conf()) return kFailed;
    if (options_.mode) {
      if (const int status = set(*options_.mode); status != kDone) return status;
    }
    if (options_.query) return query();
    return options_.mode || options_.parse ? kDone : no_request(kNothingAsked);
  }

 private:
  void error(const std::string& text) { err_ << "NVPM ERROR: " << text << '\n'; }
  void warn(const std::string& text) { out_ << "NVPM WARN: " << text << '\n'; }
  void verbose(const std::string& text) {
    if (options_.verbose) out_ << "NVPM VERB: " << text << '\n';
  }
  int no_request(int mask) {
    error(fmt::format("optMask is {}, no request for power mode", mask));
    return kFailed;
  }
  int not_set() {
    error("failed to set power mode!");
    return no_request(kNotSet);
  }

  [[noreturn]] static void hang() {
    while (true)
      ::pause();
  }

  bool load_conf() {
    verbose("Config file: " + conf_path_);
    const auto text = options_.conf ? read_file(*options_.conf, kMostConfBytes) : board_.read(kNvpmodelConf);
    if (!text) {
      error(text.error().to_string());
      return false;
    }
    auto conf = parse_nvpmodel_conf(*text, conf_path_);
    if (!conf) {
      for (const auto& fault : conf.error())
        error(fault.to_string());
      return false;
    }
    conf_ = std::move(*conf);
    if (!conf_.default_id) {
      error("there is no PM_CONFIG DEFAULT in " + conf_path_);
      return false;
    }
    verbose("parsing done for " + conf_path_);
    return true;
  }

  // Null: the conf does not have it, which has been said.
  const NvpmodelConf::Model* model(int id) {
    const auto* model = conf_.model(id);
    if (model == nullptr) error(fmt::format("power mode {} is not in {}", id, conf_path_));
    return model;
  }

  int set(int id) {
    const auto* wanted = model(id);
    if (wanted == nullptr) return no_request(kNotSet);
    if (behaviour_ == "silent") return keep(id);
    if (behaviour_ == "chroot") {
      out_ << "Running in chroot, ignoring request.\n";
      return keep(id);
    }
    const auto reboot = takes_reboot(*wanted);
    if (!reboot) return not_set();
    if (*reboot) return set_by_reboot(id);
    for (const auto& setting : wanted->settings) {
      if (!settings_.write(setting)) return not_set();
    }
    return keep(id);
  }

  // Power gating cannot change once the GPU has been used. None: it cannot be read.
  std::optional<bool> takes_reboot(const NvpmodelConf::Model& wanted) {
    for (const auto& setting : wanted.settings) {
      if (!is_gating(setting)) continue;
      const auto holds = settings_.read(setting);
      if (!holds) return std::nullopt;
      if (!is_same(*holds, setting.value)) return true;
    }
    return behaviour_ == "pending_reboot";
  }

  int set_by_reboot(int id) {
    if (powermode::nvpmodel_is_of_jetpack_6(kernel_)) warn("Golden image context is already created");
    if (!options_.force && !is_told_to_reboot(id)) return no_request(kNotApproved);
    warn("rebooting..");
    if (const int status = keep(id); status != kDone) return status;
    if (behaviour_ == "pending_reboot" && !board_.write(kSimulatedNvpmodel, "works")) return kFailed;
    if (const auto done = board_.reboot(); !done) {
      error(done.error().to_string());
      return kFailed;
    }
    return kDone;
  }

  bool is_told_to_reboot(int id) {
    warn(fmt::format("Reboot required for changing to this power mode: {}", id));
    warn("DO YOU WANT TO REBOOT NOW? enter YES/yes to confirm:");
    out_.flush();
    std::string answer;
    if (!std::getline(in_, answer)) error("bad input!");
    return answer == "yes" || answer == "YES";
  }

  int keep(int id) {
    const auto text = fmt::format("pmode:{:04}", id);
    const int number = powermode::write_node(board_, kNvpmodelStatus, text);
    if (number == 0) return kDone;
    error(fmt::format("Error writing {} to {}: {}", text, kNvpmodelStatus, number));
    return kFailed;
  }

  // On a board where it was never told to set anything, the default. None: it cannot be read.
  std::optional<int> asked_for() {
    const auto text = read_node_text(board_, kNvpmodelStatus);
    if (!text && text.error() == ENOENT) return conf_.default_id;
    if (!text) {
      error(fmt::format("Error opening {}: {}", kNvpmodelStatus, text.error()));
      return std::nullopt;
    }
    const auto id = parse_nvpmodel_status(*text);
    if (id) return *id;
    error(fmt::format("there is no power mode in {}", kNvpmodelStatus));
    return std::nullopt;
  }

  // It reads the nodes whether or not it tells of them, and succeeds whether or not they can be read.
  int query() {
    const auto id = asked_for();
    const auto* asked = id ? model(*id) : nullptr;
    if (asked == nullptr) return kFailed;
    if (kernel_.major < 5) warn("fan mode is not set!");
    if (options_.verbose) out_ << "NVPM VERB: Current mode: ";
    out_ << "NV Power Mode: " << asked->name << '\n' << *id << '\n';
    for (const auto& setting : asked->settings) {
      const auto real = settings_.read(setting);
      if (!real) continue;
      verbose(fmt::format("PARAM {}: ARG {}: PATH {}: REAL_VAL: {} CONF_VAL: {}", setting.param,
                          setting.argument, settings_.path_of(setting), *real, settings_.asked_for(setting)));
    }
    return kDone;
  }

  SimulatedFileTree& board_;
  const SimulatedHardware::Kernel& kernel_;
  const NvpmodelOptions options_;
  const std::string conf_path_;
  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
  std::string behaviour_;
  NvpmodelConf conf_;
  NvpmodelSettings settings_{board_, kernel_, conf_, err_};
};

}  // namespace

int run_simulated_nvpmodel(SimulatedFileTree& board, const std::vector<std::string>& arguments,
                           std::istream& in, std::ostream& out, std::ostream& err) {
  auto options = powermode::parse_nvpmodel_options(arguments);
  if (!options) {
    err << "NVPM ERROR: " << options.error() << '\n' << powermode::kNvpmodelUsage;
    return kFailed;
  }
  if (options->help) {
    out << powermode::kNvpmodelUsage;
    return kDone;
  }
  const auto hardware = SimulatedHardware::builtin(board.board_name());
  if (!hardware) {
    err << "NVPM ERROR: " << hardware.error().to_string() << '\n';
    return kFailed;
  }
  return Nvpmodel(board, hardware->kernel, std::move(*options), in, out, err).run();
}

}  // namespace fulcrum
