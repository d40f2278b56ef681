#include "eval/svg.h"

#include <fmt/format.h>

#include <iterator>

namespace fulcrum::eval {

namespace {

const char* name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      break;
  }
  return "end";
}

std::string coordinates(const std::vector<Point>& points) {
  std::string text;
  for (const auto& point : points)
    fmt::format_to(std::back_inserter(text), "{:.1f},{:.1f} ", point.x, point.y);
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return safe;
}

Svg::Svg(double width, double height)
    : body_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
                        "viewBox=\"0 0 {0:g} {1:g}\" "
                        "font-family=\"sans-serif\" font-size=\"13\" fill=\"none\">\n"
                        "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#fff\"/>\n",
                        width, height)) {}

void Svg::rectangle(Point corner, double width, double height, const std::string& style) {
  body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" style=\"{}\"/>\n",
                       corner.x, corner.y, width, height, style);
}

void Svg::line(Point from, Point to, const std::string& style) {
  body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" style=\"{}\"/>\n",
                       from.x, from.y, to.x, to.y, style);
}

void Svg::polyline(const std::vector<Point>& points, const std::string& style) {
  body_ += fmt::format("<polyline points=\"{}\" style=\"{}\"/>\n", coordinates(points), style);
}

void Svg::polygon(const std::vector<Point>& points, const std::string& style) {
  body_ += fmt::format("<polygon points=\"{}\" style=\"{}\"/>\n", coordinates(points), style);
}

void Svg::circle(Point centre, double radius, const std::string& style) {
  body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" style=\"{}\"/>\n", centre.x,
                       centre.y, radius, style);
}

void Svg::text(Point at, std::string_view text, Anchor anchor, const std::string& style) {
  body_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" style=\"fill:#222;{}\">{}</text>\n",
                  at.x, at.y, name_of(anchor), style, escaped(text));
}

void Svg::upright_text(Point at, std::string_view text) {
  body_ += fmt::format(
      "<text transform=\"translate({:.1f},{:.1f}) rotate(-90)\" text-anchor=\"middle\" "
      "style=\"fill:#222\">{}</text>\n",
      at.x, at.y, escaped(text));
}

void Svg::open_group(const std::string& style, std::string_view title) {
  body_ += fmt::format("<g style=\"{}\">\n", style);
  if (!title.empty()) body_ += fmt::format("<title>{}</title>\n", escaped(title));
}

void Svg::close_group() {
  body_ += "</g>\n";
}

}  // namespace fulcrum::eval
