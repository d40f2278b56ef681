#pragma once
// Axes, marks and a legend on a picture.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "eval/svg.h"

namespace fulcrum::eval {

enum class Scale { linear, logarithmic };

// Values along one side of a panel.
class Axis {
 public:
  // Of at least one value, for a logarithmic scale all positive; rounded outwards to ticks.
  Axis(Scale scale, const std::vector<double>& values, std::string label);

  // 0 ... 1 from the first tick to the last; beyond them for values outside.
  double place(double value) const;
  const std::vector<double>& ticks() const { return ticks_; }
  const std::string& label() const { return label_; }

 private:
  Scale scale_;
  std::string label_;
  std::vector<double> ticks_;
};

struct Panel {
  Point corner;  // upper left of the plotted area
  double width = 0;
  double height = 0;

  Point at(const Axis& x, const Axis& y, double x_value, double y_value) const;
};

void draw_x_axis(Svg& svg, const Panel& panel, const Axis& axis);
void draw_y_axis(Svg& svg, const Panel& panel, const Axis& axis);
void draw_frame(Svg& svg, const Panel& panel, const std::string& title);

// The colour of the number-th of several things, and a mark whose shape differs as well.
std::string colour_of(std::size_t number);
void draw_mark(Svg& svg, std::size_t number, Point at, double size);

// Marks and names in a row, wrapped at `width`. Returns the height that it takes.
double draw_legend(Svg& svg, Point corner, double width, const std::vector<std::string>& names);

}  // namespace fulcrum::eval
