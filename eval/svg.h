#pragma once
// A picture as SVG text. Lengths in pixels from the upper left corner.

#include <string>
#include <string_view>
#include <vector>

namespace fulcrum::eval {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Anchor { start, middle, end };

class Svg {
 public:
  Svg(double width, double height);

  void rectangle(Point corner, double width, double height, const std::string& style);
  void line(Point from, Point to, const std::string& style);
  void polyline(const std::vector<Point>& points, const std::string& style);
  void polygon(const std::vector<Point>& points, const std::string& style);
  void circle(Point centre, double radius, const std::string& style);
  void text(Point at, std::string_view text, Anchor anchor = Anchor::start, const std::string& style = {});
  // Read from below to above.
  void upright_text(Point at, std::string_view text);
  // What is drawn until close_group() has this style where it has none of its own, and a tooltip if `title`
  // is not empty.
  void open_group(const std::string& style, std::string_view title = {});
  void close_group();

  std::string str() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

// Of text between tags or quotes.
std::string escaped(std::string_view text);

}  // namespace fulcrum::eval
