#pragma once
// The command line of nvpmodel, as far as the simulated one takes it.

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace fulcrum::powermode {

struct NvpmodelOptions {
  bool help = false;
  bool parse = false;
  bool query = false;
  bool verbose = false;
  bool force = false;
  std::optional<int> mode;
  std::optional<std::string> conf;  // a file of the host's
};

// Or why not.
[[nodiscard]] tl::expected<NvpmodelOptions, std::string> parse_nvpmodel_options(
    const std::vector<std::string>& arguments);

inline constexpr const char* kNvpmodelUsage =
    "Usage: nvpmodel [options]\n"
    "  -h, --help        this text\n"
    "  -p, --parse       read the conf and do nothing else\n"
    "  -q, --query       say which power mode was asked for last\n"
    "  -m, --mode N      set a power mode\n"
    "  -f, --conf FILE   another conf than /etc/nvpmodel.conf\n"
    "      --verbose     say more\n"
    "      --force       reboot without asking, if the power mode takes that\n";

}  // namespace fulcrum::powermode
