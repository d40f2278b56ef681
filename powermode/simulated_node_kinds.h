#pragma once
// Kinds of nodes that a simulated board has many of.

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "powermode/simulated_machine.h"

namespace fulcrum::powermode {

// A node whose text follows from the state alone.
template <class Text>
SimulatedNode readable(Text text, SimulatedNode::Present present = nullptr) {
  return {[text](const SimulatedState& state, std::int64_t) {
            return SystemResult<std::string>(fmt::format("{}\n", text(state)));
          },
          nullptr, std::move(present)};
}

// ... and that takes writes whose effect does not depend on the time.
template <class Text, class Store>
SimulatedNode knob(Text text, Store store, SimulatedNode::Present present = nullptr) {
  SimulatedNode node = readable(text, std::move(present));
  node.write = [store](SimulatedState& state, std::string_view value, std::int64_t) {
    return store(state, value);
  };
  return node;
}

// A node that keeps what is written to it, if it is one of `known`.
SimulatedNode switch_node(const std::string& path, const std::string& after_boot,
                          std::vector<std::string> known);

// ... or if it is a whole number from 0 on; 0 until then.
SimulatedNode number_node(const std::string& path, std::int64_t highest,
                          SimulatedNode::Present present = nullptr);

// hwmonN differs from boot to boot, as the order of probing does.
inline SimulatedNode::Present in_boots(int parity) {
  return [parity](const SimulatedState& state) { return state.boots % 2 == parity; };
}

}  // namespace fulcrum::powermode
