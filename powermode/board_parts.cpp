#include "powermode/board_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fulcrum {

namespace {

using Weight = Finding::Weight;

constexpr std::pair<Weight, std::string_view> kWeights[] = {{Weight::fine, "fine"},
                                                            {Weight::note, "note"},
                                                            {Weight::disables, "disables"},
                                                            {Weight::blocks, "blocks"}};

std::string_view mark_of(Weight weight) {
  switch (weight) {
    case Weight::fine:
      return "ok";
    case Weight::note:
      return "note";
    case Weight::disables:
      return "missing";
    case Weight::blocks:
      return "BLOCKS";
  }
  return "";
}

}  // namespace

std::string_view to_string(Finding::Weight weight) {
  for (const auto& [known, name] : kWeights) {
    if (known == weight) return name;
  }
  return "unknown";
}

Json Finding::to_json() const {
  Json json{{"part", part}, {"weight", to_string(weight)}, {"what", what}};
  if (!effect.empty()) json["effect"] = effect;
  if (!fix.empty()) json["fix"] = fix;
  return json;
}

Expected<Finding> Finding::from_json(const Json& json) {
  try {
    Finding finding;
    finding.part = json.at("part").get<std::string>();
    const auto name = json.at("weight").get<std::string>();
    const auto* weight = std::find_if(std::begin(kWeights), std::end(kWeights),
                                      [&](const auto& known) { return known.second == name; });
    if (weight == std::end(kWeights))
      return fail(ErrorCode::corrupt, fmt::format("unknown weight '{}'", name));
    finding.weight = weight->first;
    finding.what = json.at("what").get<std::string>();
    finding.effect = json.value("effect", "");
    finding.fix = json.value("fix", "");
    return finding;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::corrupt, e.what());
  }
}

bool fit(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.weight == Weight::blocks; });
}

std::string_view verdict(bool fit) {
  return fit ? "Fulcrum can do its job here." : "Fulcrum cannot do its job here: see what BLOCKS.";
}

std::string to_text(const std::vector<Finding>& findings) {
  std::size_t width = 0;
  for (const auto& finding : findings)
    width = std::max(width, finding.part.size());
  std::string text;
  for (const auto& finding : findings) {
    text += fmt::format("{:<8} {:<{}}  {}\n", mark_of(finding.weight), finding.part, width, finding.what);
    const std::string indent(8 + 1 + width + 2, ' ');
    if (!finding.effect.empty()) text += fmt::format("{}so: {}\n", indent, finding.effect);
    if (!finding.fix.empty()) text += fmt::format("{}do: {}\n", indent, finding.fix);
  }
  return text;
}

namespace powermode {

namespace {

std::string levels_in_mhz(const std::vector<std::int64_t>& levels, double per_mhz) {
  const auto mhz = [per_mhz](std::int64_t level) { return static_cast<double>(level) / per_mhz; };
  if (levels.size() == 1) return fmt::format("{:g} MHz", mhz(levels.front()));
  return fmt::format("{} levels from {:g} to {:g} MHz", levels.size(), mhz(levels.front()),
                     mhz(levels.back()));
}

class Search {
 public:
  Search(const FileTree& tree, const BoardDescription& description)
      : tree_(tree), description_(description) {}

  BoardParts run() {
    cpus();
    gpu();
    emc();
    power();
    sensors();
    if (!parts_.blocked) presets();
    return std::move(parts_);
  }

 private:
  void fine(std::string part, std::string what) {
    parts_.findings.push_back({std::move(part), Weight::fine, std::move(what), {}, {}});
  }

  void disables(std::string part, std::string what, std::string effect, std::string fix = {}) {
    parts_.findings.push_back(
        {std::move(part), Weight::disables, std::move(what), std::move(effect), std::move(fix)});
  }

  void blocks(std::string part, const Error& error, std::string effect) {
    Error plain = error;
    plain.hint.clear();
    parts_.findings.push_back(
        {std::move(part), Weight::blocks, plain.to_string(), std::move(effect), error.hint});
    if (!parts_.blocked) parts_.blocked = error;
  }

  void cpus() {
    if (const auto found = find_cpus(tree_, description_.cpu, parts_.knobs, parts_.levels); !found)
      return blocks("CPUs", found.error(), "the power mode cannot be set");
    fine("CPUs", fmt::format("{} in {} cluster{}, {}", parts_.knobs.cpus.size(), parts_.knobs.clusters.size(),
                             parts_.knobs.clusters.size() == 1 ? "" : "s",
                             levels_in_mhz(parts_.levels.cpu_khz, 1e3)));
  }

  void gpu() {
    if (const auto found = find_gpu(tree_, description_.gpu, parts_.knobs, parts_.levels); !found)
      return blocks("GPU clock", found.error(), "the power mode cannot be set");
    fine("GPU clock",
         fmt::format("{}, at '{}'", levels_in_mhz(parts_.levels.gpu_hz, 1e6), parts_.knobs.gpu.limits.max));
    parts_.gpu_load = find_gpu_load(tree_, parts_.knobs.gpu.device);
    if (parts_.gpu_load.empty()) {
      disables("GPU load", fmt::format("'{}/load' is not there", parts_.knobs.gpu.device),
               "other programs that use the GPU are not noticed");
    } else {
      fine("GPU load", fmt::format("at '{}'", parts_.gpu_load));
    }
  }

  void emc() {
    const auto why_not = find_emc(tree_, description_.emc, parts_.knobs, parts_.levels);
    if (!why_not) return blocks("memory clock", why_not.error(), "the power mode cannot be read");
    const auto levels = levels_in_mhz(parts_.levels.emc_hz, 1e6);
    if (why_not->empty())
      return fine("memory clock", fmt::format("{}, at '{}'", levels, parts_.knobs.emc.set_rate));
    disables("memory clock", *why_not, fmt::format("it is left alone, and taken to be at {}", levels),
             "is debugfs mounted at /sys/kernel/debug, and fulcrumd run as root?");
  }

  void power() {
    auto found = find_power(tree_, description_.power);
    if (!found)
      return blocks("power sensors", found.error(), "neither probes nor power budgets are possible");
    std::vector<std::string> total;
    for (const auto rail : found->total)
      total.push_back(found->rails[rail].label);
    fine("power sensors", fmt::format("{} rails; the board's power is {}{}, over {:g} ms",
                                      found->rails.size(), total.size() > 1 ? "the sum of " : "",
                                      fmt::join(total, ", "), to_ms(found->averaging_window)));
    parts_.power = std::move(*found);
  }

  void sensors() {
    parts_.temperatures = find_temperatures(tree_, description_.thermal);
    if (parts_.temperatures.empty()) {
      disables("thermal zones", fmt::format("none in '{}'", description_.thermal.directory),
               "measurements do not say how hot the board was");
    } else {
      fine("thermal zones",
           fmt::format("{} in '{}'", parts_.temperatures.size(), description_.thermal.directory));
    }
    parts_.throttle_counters = find_throttle_counters(tree_, description_.throttle);
    if (parts_.throttle_counters.empty()) {
      disables("over-current counters", fmt::format("none at '{}'", description_.throttle.hwmon),
               "clocks that the hardware halves for moments are not noticed");
    } else {
      fine("over-current counters", fmt::format("{}, at '{}'", parts_.throttle_counters.size(),
                                                parts_.throttle_counters.front().path));
    }
  }

  void presets() {
    parts_.catalogue = find_presets(tree_, description_, parts_.knobs, parts_.levels);
    const auto& catalogue = parts_.catalogue;
    if (catalogue.conf)
      return fine("presets", fmt::format("{} in '{}'", catalogue.presets.size(), kNvpmodelConf));
    const auto what =
        catalogue.trouble.empty() ? fmt::format("'{}' is not there", kNvpmodelConf) : catalogue.trouble;
    if (catalogue.presets.empty()) return disables("presets", what, "power modes have no names");
    disables("presets", what,
             fmt::format("the {} presets are those that such boards are delivered with",
                         catalogue.presets.size()));
  }

  const FileTree& tree_;
  const BoardDescription& description_;
  BoardParts parts_;
};

}  // namespace

BoardParts find_parts(const FileTree& tree, const BoardDescription& description) {
  return Search(tree, description).run();
}

}  // namespace powermode

}  // namespace fulcrum
