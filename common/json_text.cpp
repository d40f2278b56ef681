#include "common/json_text.h"

#include <fmt/format.h>

#include <set>
#include <vector>

namespace fulcrum {

namespace {

// Watches a parse for what nlohmann::json would let pass: deep nesting and repeated keys.
class Guard {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
        keys_.emplace_back();
        [[fallthrough]];
      case Json::parse_event_t::array_start:
        if (depth >= kMaxJsonDepth)
          throw std::length_error(fmt::format("nested deeper than {}", kMaxJsonDepth));
        break;
      case Json::parse_event_t::object_end:
        keys_.pop_back();
        break;
      case Json::parse_event_t::key:
        if (!keys_.back().insert(parsed.get<std::string>()).second) {
          throw std::invalid_argument(fmt::format("key {} appears twice", parsed.dump()));
        }
        break;
      default:
        break;
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

Expected<Json> parse_json(std::string_view text) {
  if (const auto at = text.find('\0'); at != std::string_view::npos) {  // nlohmann::json takes it for the end
    return fail(ErrorCode::invalid_argument, fmt::format("not valid JSON: zero byte at position {}", at));
  }
  try {
    Guard guard;
    return Json::parse(
        text.begin(), text.end(),
        [&guard](int depth, Json::parse_event_t event, Json& parsed) { return guard(depth, event, parsed); });
  } catch (const Json::parse_error& e) {
    std::string what = e.what();
    if (const auto colon = what.find("] "); colon != std::string::npos) what.erase(0, colon + 2);
    return fail(ErrorCode::invalid_argument, "not valid JSON: " + what);
  } catch (const std::exception& e) {
    return fail(ErrorCode::invalid_argument, std::string("JSON refused: ") + e.what());
  }
}

std::string to_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fulcrum
