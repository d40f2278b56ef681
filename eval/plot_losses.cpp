#include <fmt/format.h>

#include <algorithm>

#include "eval/chart.h"
#include "eval/plots.h"
#include "eval/statistics.h"
#include "eval/summary.h"

namespace fulcrum::eval {

namespace {

constexpr double kLossesWidth = 1040;
constexpr double kLossesHeight = 520;
constexpr Panel kTradeOff{{80, 70}, 400, 340};
constexpr Panel kSpread{{590, 70}, 420, 340};
constexpr double kLeastProbes = 0.01;  // where a logarithmic axis ends

// What is drawn of one strategy.
struct Losses {
  std::string strategy;
  std::vector<double> all;       // per problem, %
  std::vector<Point> of_sweeps;  // mean probes and mean loss, by workloads
  Point overall{kLeastProbes, 0};
  double solved_pct = 0;
};

Losses losses_of(const std::string& strategy, const std::vector<Result>& results,
                 const std::vector<Summary>& summaries) {
  Losses losses;
  losses.strategy = strategy;
  for (const auto& result : results) {
    if (result.strategy == strategy && result.loss_pct) losses.all.push_back(*result.loss_pct);
  }
  const auto point_of = [](const Summary& s) {
    const double probes = static_cast<double>(s.total_profiles) / static_cast<double>(s.problems);
    return Point{std::max(kLeastProbes, probes), s.mean_loss_pct};
  };
  for (const auto& s : summaries) {
    if (s.strategy != strategy) continue;
    losses.of_sweeps.push_back(point_of(s));
    // The last one is over all sweeps, or there is but one.
    losses.overall = losses.of_sweeps.back();
    if (s.solvable > 0)
      losses.solved_pct = 100 * static_cast<double>(s.solved) / static_cast<double>(s.solvable);
  }
  return losses;
}

void draw_trade_off(Svg& svg, const std::vector<Losses>& all) {
  std::vector<double> probes, losses{0};
  for (const auto& strategy : all) {
    for (const auto& point : strategy.of_sweeps) {
      probes.push_back(point.x);
      losses.push_back(point.y);
    }
  }
  const Axis x(Scale::logarithmic, probes, "probes for a problem (mean)");
  const Axis y(Scale::linear, losses, "loss, % of the optimum (mean)");
  draw_x_axis(svg, kTradeOff, x);
  draw_y_axis(svg, kTradeOff, y);
  draw_frame(svg, kTradeOff, "Loss against probes; small marks: single workloads");
  for (std::size_t i = 0; i < all.size(); ++i) {
    svg.open_group("opacity:.55", all[i].strategy);
    for (const auto& point : all[i].of_sweeps)
      draw_mark(svg, i, kTradeOff.at(x, y, point.x, point.y), 3);
    svg.close_group();
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [probes_mean, loss_mean] = all[i].overall;
    const Point at = kTradeOff.at(x, y, probes_mean, loss_mean);
    svg.open_group("", fmt::format("{}: {:.2f} probes, {:.2f} %", all[i].strategy, probes_mean, loss_mean));
    draw_mark(svg, i, at, 7);
    svg.close_group();
  }
}

void draw_box(Svg& svg, std::size_t number, const Losses& losses, double x, double half_width,
              const Axis& y_axis) {
  const auto y = [&y_axis](double value) {
    return kSpread.corner.y + (1 - y_axis.place(value)) * kSpread.height;
  };
  const auto at = [&losses](double part) { return quantile_of(losses.all, part); };
  const std::string style = fmt::format("stroke:{};stroke-width:2", colour_of(number));
  const double low = y(at(.25));
  const double high = y(at(.75));
  svg.open_group(
      "", fmt::format("{}: median {:.2f} %, mean {:.2f} %", losses.strategy, at(.5), mean_of(losses.all)));
  svg.line({x, y(at(.05))}, {x, low}, style);
  svg.line({x, high}, {x, y(at(.95))}, style);
  svg.rectangle({x - half_width, high}, 2 * half_width, low - high, style + ";fill:#fff");
  svg.line({x - half_width, y(at(.5))}, {x + half_width, y(at(.5))},
           fmt::format("stroke:{};stroke-width:4", colour_of(number)));
  svg.circle({x, y(mean_of(losses.all))}, 4, fmt::format("fill:{}", colour_of(number)));
  svg.close_group();
}

void draw_spread(Svg& svg, const std::vector<Losses>& all) {
  std::vector<double> values{0};
  for (const auto& strategy : all) {
    values.push_back(quantile_of(strategy.all, .95));
    values.push_back(mean_of(strategy.all));
  }
  const Axis y(Scale::linear, values, "loss, % of the optimum");
  draw_y_axis(svg, kSpread, y);
  draw_frame(svg, kSpread, "Box: quartiles and median; line: 5 to 95 %; dot: mean");
  const double slot = kSpread.width / static_cast<double>(all.size());
  const double bottom = kSpread.corner.y + kSpread.height;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double x = kSpread.corner.x + (static_cast<double>(i) + .5) * slot;
    if (!all[i].all.empty()) draw_box(svg, i, all[i], x, std::min(22.0, slot / 3), y);
    svg.text({x, bottom + 20}, all[i].strategy, Anchor::middle, slot < 60 ? "font-size:10px" : "");
    svg.text({x, bottom + 36}, fmt::format("{:.1f} %", all[i].solved_pct), Anchor::middle,
             slot < 60 ? "font-size:9px" : "font-size:11px");
  }
  svg.text({kSpread.corner.x + kSpread.width / 2, bottom + 54},
           "strategy, and how much of the solvable it solved", Anchor::middle);
}

}  // namespace

std::vector<std::string> strategies_in(const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const auto& result : results) {
    if (std::find(names.begin(), names.end(), result.strategy) == names.end())
      names.push_back(result.strategy);
  }
  return names;
}

std::string plot_losses(const std::vector<Result>& results, const std::vector<std::string>& strategies) {
  const auto summaries = summarize(results);
  std::vector<Losses> all;
  all.reserve(strategies.size());
  for (const auto& name : strategies)
    all.push_back(losses_of(name, results, summaries));
  Svg svg(kLossesWidth, kLossesHeight);
  const auto& any = results.front();
  svg.text({24, 30},
           fmt::format("Scenario {}, policy {}: {} problems", any.scenario, any.policy,
                       results.size() / strategies_in(results).size()),
           Anchor::start, "font-size:17px;font-weight:bold");
  draw_trade_off(svg, all);
  draw_spread(svg, all);
  draw_legend(svg, {kTradeOff.corner.x, kTradeOff.corner.y + kTradeOff.height + 76}, kLossesWidth - 100,
              strategies);
  return svg.str();
}

}  // namespace fulcrum::eval
