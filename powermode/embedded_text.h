#pragma once
// The data files of config/boards, compiled in.

#include <string_view>

namespace fulcrum::powermode {

// Empty for an unknown name.
std::string_view embedded_text(std::string_view file_name);

}  // namespace fulcrum::powermode
