#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "eval/chart.h"
#include "eval/plots.h"

namespace fulcrum::eval {

using scheduler::Profile;

namespace {

constexpr double kFrontWidth = 860;
constexpr double kFrontHeight = 600;
constexpr Panel kPanel{{80, 60}, 740, 430};

struct Axes {
  Axis time;
  Axis power;
};

Axes axes_of(const std::vector<Profile>& rows) {
  std::vector<double> times, powers;
  times.reserve(rows.size());
  powers.reserve(rows.size());
  for (const auto& row : rows) {
    times.push_back(row.p50_ms);
    powers.push_back(row.power_w);
  }
  return {Axis(Scale::logarithmic, times, "time of a minibatch, ms"),
          Axis(Scale::linear, powers, "power, W")};
}

Point point_of(const Profile& row, const Axes& axes) {
  return kPanel.at(axes.time, axes.power, row.p50_ms, row.power_w);
}

void draw_rows(Svg& svg, const std::vector<Profile>& rows, const Axes& axes) {
  svg.open_group("fill:#bbb", fmt::format("all {} modes", rows.size()));
  for (const auto& row : rows)
    svg.circle(point_of(row, axes), 1.8, "");
  svg.close_group();
}

// In steps: between two modes of the front nothing is faster for the same power.
void draw_front(Svg& svg, const std::vector<Profile>& front, const Axes& axes) {
  std::vector<Point> steps;
  steps.reserve(2 * front.size());
  for (const auto& row : front) {
    const Point at = point_of(row, axes);
    if (!steps.empty()) steps.push_back({at.x, steps.back().y});
    steps.push_back(at);
  }
  svg.polyline(steps, "stroke:#222;stroke-width:1.5");
}

// Where each strategy looked, side by side where several did.
void draw_visits(Svg& svg, const Table& table, int batch_size, const std::vector<Visit>& visits,
                 const std::vector<std::string>& names, const Axes& axes) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    svg.open_group(fmt::format("fill:{};fill-opacity:.6", colour_of(i)), "");
    for (const auto& visit : visits) {
      const auto& m = visit.measured;
      const Profile* row = table.find(m.mode, m.batch_size);
      if (visit.strategy != names[i] || m.task != table.task() || m.batch_size != batch_size ||
          row == nullptr)
        continue;
      const Point at = point_of(*row, axes);
      svg.open_group("", fmt::format("{} measured {}: {} times", names[i], m.mode.to_string(), visit.times));
      svg.circle({at.x + 3 * static_cast<double>(i), at.y}, 2.6, "");
      svg.close_group();
    }
    svg.close_group();
  }
}

// How often each mode was the answer of a strategy.
void draw_answers(Svg& svg, const Table& table, int batch_size, const std::vector<Result>& results,
                  const std::vector<std::string>& names, const Axes& axes) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::map<PowerMode, int> answers;
    for (const auto& result : results) {
      if (result.strategy == names[i] && result.answer) ++answers[result.answer->mode];
    }
    for (const auto& [mode, times] : answers) {
      const Profile* row = table.find(mode, batch_size);
      if (row == nullptr) continue;
      svg.open_group("", fmt::format("{}: {}, {:.1f} ms, {:.1f} W, {} times", names[i], mode.to_string(),
                                     row->p50_ms, row->power_w, times));
      // Larger for later strategies, so that marks on one mode lie around each other.
      draw_mark(svg, i, point_of(*row, axes), 4 + 1.5 * static_cast<double>(i));
      svg.close_group();
    }
  }
}

}  // namespace

std::vector<Profile> pareto_front(std::vector<Profile> rows) {
  std::sort(rows.begin(), rows.end(), [](const Profile& a, const Profile& b) {
    return std::tie(a.p50_ms, a.power_w) < std::tie(b.p50_ms, b.power_w);
  });
  std::vector<Profile> front;
  for (const auto& row : rows) {
    if (front.empty() || row.power_w < front.back().power_w) front.push_back(row);
  }
  return front;
}

std::string plot_front(const Table& table, int batch_size, const std::vector<Result>& results,
                       const std::vector<Visit>& visits, const std::vector<std::string>& strategies,
                       const std::string& title) {
  auto rows = table.rows();
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [batch_size](const Profile& row) { return row.batch_size != batch_size; }),
             rows.end());
  Svg svg(kFrontWidth, kFrontHeight);
  svg.text({24, 26}, title, Anchor::start, "font-size:17px;font-weight:bold");
  if (rows.empty()) return svg.str();
  const Axes axes = axes_of(rows);
  draw_x_axis(svg, kPanel, axes.time);
  draw_y_axis(svg, kPanel, axes.power);
  draw_frame(svg, kPanel,
             visits.empty()
                 ? "Dots: every mode; line: the Pareto front; marks: modes that were answered"
                 : "Dots: every mode, in colour if measured; line: the Pareto front; marks: answers");
  draw_rows(svg, rows, axes);
  draw_front(svg, pareto_front(rows), axes);
  draw_visits(svg, table, batch_size, visits, strategies, axes);
  draw_answers(svg, table, batch_size, results, strategies, axes);
  draw_legend(svg, {kPanel.corner.x, kPanel.corner.y + kPanel.height + 72}, kPanel.width, strategies);
  return svg.str();
}

}  // namespace fulcrum::eval
