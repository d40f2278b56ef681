#include "powermode/simulated_nvpmodel_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "powermode/node_text.h"

namespace fulcrum::powermode {

namespace {

using Options = NvpmodelOptions;

struct Flag {
  std::string_view letter;  // empty: none
  std::string_view name;
  bool Options::*flag;
};
constexpr Flag kFlags[] = {{"-h", "--help", &Options::help},
                           {"-p", "--parse", &Options::parse},
                           {"-q", "--query", &Options::query},
                           {"", "--verbose", &Options::verbose},
                           {"", "--force", &Options::force}};

const Flag* flag_named(const std::string& word) {
  const auto* found = std::find_if(std::begin(kFlags), std::end(kFlags), [&word](const Flag& flag) {
    return word == flag.name || (!flag.letter.empty() && word == flag.letter);
  });
  return found == std::end(kFlags) ? nullptr : found;
}

// Empty: it is taken.
std::string take_mode(const std::string& value, Options& options) {
  const auto id = parse_number(value);
  if (!id || *id < 0 || *id > std::numeric_limits<int>::max())
    return fmt::format("'{}' is no power mode", value);
  options.mode = static_cast<int>(*id);
  return {};
}

}  // namespace

tl::expected<Options, std::string> parse_nvpmodel_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& word = arguments[i];
    if (const auto* flag = flag_named(word); flag != nullptr) {
      options.*(flag->flag) = true;
      continue;
    }
    const bool is_mode = word == "-m" || word == "--mode";
    if (!is_mode && word != "-f" && word != "--conf")
      return tl::unexpected(fmt::format("unrecognized option '{}'", word));
    if (++i == arguments.size()) return tl::unexpected(fmt::format("option '{}' requires an argument", word));
    if (!is_mode) {
      options.conf = arguments[i];
    } else if (auto why_not = take_mode(arguments[i], options); !why_not.empty()) {
      return tl::unexpected(std::move(why_not));
    }
  }
  return options;
}

}  // namespace fulcrum::powermode
