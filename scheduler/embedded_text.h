#pragma once
// The data files of config/priors, compiled in.

#include <string_view>

namespace fulcrum::scheduler {

// Empty for an unknown name.
std::string_view embedded_text(std::string_view file_name);

}  // namespace fulcrum::scheduler
