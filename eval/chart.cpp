#include "eval/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fulcrum::eval {

namespace {

constexpr double kWantedTicks = 6;
constexpr double kRowHeight = 20;
constexpr const char* kLine = "stroke:#444;stroke-width:1";
constexpr const char* kGrid = "stroke:#e4e4e4;stroke-width:1";

// Told apart by most colour-blind people (Okabe, Ito 2008).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#444444", "#b8a800"};

// 1, 2 or 5 times a power of ten, near the wanted distance.
double nice_step(double wanted) {
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (wanted <= factor * power * 1.001) return factor * power;
  }
  return 10 * power;
}

std::vector<double> linear_ticks(double least, double most) {
  if (most <= least) most = least + 1;
  const double step = nice_step((most - least) / kWantedTicks);
  std::vector<double> ticks;
  const auto first = static_cast<int>(std::floor(least / step + 1e-9));
  const auto last = static_cast<int>(std::ceil(most / step - 1e-9));
  for (int i = first; i <= last; ++i)
    ticks.push_back(i * step);
  return ticks;
}

// Powers of ten; for less than three of them with 2 and 5 in between.
std::vector<double> logarithmic_ticks(double least, double most) {
  most = std::max(most, 2 * least);
  const int low = static_cast<int>(std::floor(std::log10(least) + 1e-9));
  const int high = std::max(low + 1, static_cast<int>(std::ceil(std::log10(most) - 1e-9)));
  std::vector<double> all;
  for (int power = low; power <= high; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor == 1 || high - low < 3) all.push_back(factor * std::pow(10, power));
    }
  }
  const auto first = std::upper_bound(all.begin(), all.end(), least * (1 + 1e-9));
  const auto last = std::lower_bound(all.begin(), all.end(), most * (1 - 1e-9));
  return {first == all.begin() ? first : std::prev(first), last == all.end() ? last : std::next(last)};
}

}  // namespace

Axis::Axis(Scale scale, const std::vector<double>& values, std::string label)
    : scale_(scale), label_(std::move(label)) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  ticks_ = scale == Scale::linear ? linear_ticks(*least, *most) : logarithmic_ticks(*least, *most);
}

double Axis::place(double value) const {
  const double first = ticks_.front();
  const double last = ticks_.back();
  if (scale_ == Scale::linear) return (value - first) / (last - first);
  return std::log(value / first) / std::log(last / first);
}

Point Panel::at(const Axis& x, const Axis& y, double x_value, double y_value) const {
  return {corner.x + x.place(x_value) * width, corner.y + (1 - y.place(y_value)) * height};
}

void draw_x_axis(Svg& svg, const Panel& panel, const Axis& axis) {
  const double bottom = panel.corner.y + panel.height;
  for (const double tick : axis.ticks()) {
    const double x = panel.corner.x + axis.place(tick) * panel.width;
    svg.line({x, panel.corner.y}, {x, bottom}, kGrid);
    svg.line({x, bottom}, {x, bottom + 5}, kLine);
    svg.text({x, bottom + 20}, fmt::format("{:g}", tick), Anchor::middle);
  }
  svg.text({panel.corner.x + panel.width / 2, bottom + 42}, axis.label(), Anchor::middle);
}

void draw_y_axis(Svg& svg, const Panel& panel, const Axis& axis) {
  for (const double tick : axis.ticks()) {
    const double y = panel.corner.y + (1 - axis.place(tick)) * panel.height;
    svg.line({panel.corner.x, y}, {panel.corner.x + panel.width, y}, kGrid);
    svg.line({panel.corner.x - 5, y}, {panel.corner.x, y}, kLine);
    svg.text({panel.corner.x - 9, y + 4.5}, fmt::format("{:g}", tick), Anchor::end);
  }
  svg.upright_text({panel.corner.x - 46, panel.corner.y + panel.height / 2}, axis.label());
}

void draw_frame(Svg& svg, const Panel& panel, const std::string& title) {
  svg.rectangle(panel.corner, panel.width, panel.height, kLine);
  svg.text({panel.corner.x, panel.corner.y - 10}, title, Anchor::start, "font-weight:bold");
}

std::string colour_of(std::size_t number) {
  return kColours[number % std::size(kColours)];
}

void draw_mark(Svg& svg, std::size_t number, Point at, double size) {
  const std::string style = fmt::format("stroke:{};stroke-width:2", colour_of(number));
  const auto [x, y] = at;
  switch (number % 5) {
    case 0:
      svg.circle(at, size, style);
      break;
    case 1:
      svg.rectangle({x - size, y - size}, 2 * size, 2 * size, style);
      break;
    case 2:
      svg.polygon({{x, y - 1.2 * size}, {x + 1.1 * size, y + size}, {x - 1.1 * size, y + size}}, style);
      break;
    case 3:
      svg.polygon({{x, y - 1.4 * size}, {x + 1.4 * size, y}, {x, y + 1.4 * size}, {x - 1.4 * size, y}},
                  style);
      break;
    default:
      svg.line({x - size, y - size}, {x + size, y + size}, style);
      svg.line({x - size, y + size}, {x + size, y - size}, style);
  }
}

double draw_legend(Svg& svg, Point corner, double width, const std::vector<std::string>& names) {
  Point at = corner;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double wide = 34 + 7.5 * static_cast<double>(names[i].size());
    if (at.x > corner.x && at.x + wide > corner.x + width) at = {corner.x, at.y + kRowHeight};
    draw_mark(svg, i, {at.x + 8, at.y - 4.5}, 5);
    svg.text({at.x + 20, at.y}, names[i]);
    at.x += wide;
  }
  return at.y - corner.y + kRowHeight;
}

}  // namespace fulcrum::eval
