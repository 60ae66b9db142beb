package io.fjordmq.perf.report;

import io.fjordmq.perf.load.Sample.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;

/**
 * A line chart as inline SVG. Colors are CSS classes, so that the style of the page defines them
 * for light and dark mode.
 *
 * @param title title above the chart
 * @param unit unit of the values
 * @param horizontal horizontal axis
 * @param horizontalMarks tick marks of the horizontal axis
 * @param vertical vertical axis
 * @param lines lines in the order of the legend
 * @param bands shaded intervals behind the lines
 */
record Plot(
    String title,
    String unit,
    Axis horizontal,
    List<Mark> horizontalMarks,
    Axis vertical,
    List<Line> lines,
    List<Band> bands) {
  private static final double WIDTH = 640;
  private static final double HEIGHT = 250;
  private static final double LEFT = 52;
  private static final double RIGHT = 10;
  private static final double TOP = 18;
  private static final double BOTTOM = 24;
  private static final JsonMapper JSON = new JsonMapper();

  /**
   * @param color 0 to 5
   * @param dashes 0 for a solid line, up to 2
   * @param wide whether the line is drawn wide and pale, so that it is visible below another line
   *     in the same place
   */
  record Line(String label, int color, int dashes, boolean wide, List<Point> points) {
    String style() {
      return "c" + color + " d" + dashes + (wide ? " broad" : "");
    }
  }

  /** A point of a line, in axis units. */
  record Point(double x, double y) {}

  /** A tick mark of the horizontal axis. */
  record Mark(double x, String text) {}

  /**
   * An interval of the horizontal axis.
   *
   * @param name shown to readers
   */
  record Band(double from, double to, Phase phase, String name) {}

  String html() {
    StringBuilder out = new StringBuilder();
    out.append("<figure class=\"plot\"><figcaption><b>" + Html.text(title) + "</b>");
    out.append(unit.isEmpty() ? "" : " <span class=\"unit\">" + Html.text(unit) + "</span>");
    out.append("</figcaption>\n");
    out.append(svg());
    out.append("<div class=\"legend\">");
    for (Line line : lines) {
      out.append(
          "<span><svg viewBox=\"0 0 22 8\"><path class=\"%s\" d=\"M1 4H21\"/></svg>%s</span>"
              .formatted(line.style(), Html.text(line.label)));
    }
    return out.append("</div></figure>\n").toString();
  }

  String svg() {
    StringBuilder out = new StringBuilder();
    out.append(
        ("<svg class=\"chart\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\""
                + " data-plot=\"%s\">%n")
            .formatted(WIDTH, HEIGHT, Html.text(title), Html.text(data())));
    bands.forEach(band -> band(out, band));
    for (double mark : vertical.marks()) {
      out.append(
          ("<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text class=\"tick\" x=\"%.1f\""
                  + " y=\"%.1f\" text-anchor=\"end\">%s</text>%n")
              .formatted(LEFT, y(mark), WIDTH - RIGHT, LEFT - 6, y(mark) + 3.5, Axis.text(mark)));
    }
    for (Mark mark : horizontalMarks) {
      out.append(
          "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>%n"
              .formatted(x(mark.x), HEIGHT - 7, Html.text(mark.text)));
    }
    lines.forEach(line -> line(out, line));
    out.append("<path class=\"cursor\" d=\"\"/></svg>\n");
    return out.toString();
  }

  private void band(StringBuilder out, Band band) {
    double from = x(band.from);
    double width = x(band.to) - from;
    out.append(
        "<rect class=\"band %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
            .formatted(
                band.phase.name().toLowerCase(Locale.ROOT),
                from,
                TOP,
                width,
                HEIGHT - TOP - BOTTOM));
    if (width > 6.5 * band.name.length()) {
      out.append(
          "<text class=\"phase\" x=\"%.1f\" y=\"%.1f\">%s</text>"
              .formatted(from + 3, TOP - 6, band.name));
    }
    out.append('\n');
  }

  /** Draws a line. A single point is drawn as a dot, because it would be invisible as a line. */
  private void line(StringBuilder out, Line line) {
    StringBuilder path = new StringBuilder();
    for (Point point : line.points) {
      path.append("%s%.1f %.1f".formatted(path.isEmpty() ? "M" : "L", x(point.x), y(point.y)));
    }
    if (line.points.size() == 1) {
      path.append("h0.1");
    }
    out.append("<path class=\"line %s\" d=\"%s\"/>%n".formatted(line.style(), path));
  }

  private double x(double value) {
    return LEFT + horizontal.position(value) * (WIDTH - LEFT - RIGHT);
  }

  private double y(double value) {
    return HEIGHT - BOTTOM - vertical.position(value) * (HEIGHT - TOP - BOTTOM);
  }

  /** Returns the values that the page's script shows at the mouse pointer. */
  private String data() {
    List<Object> series = new ArrayList<>();
    for (Line line : lines) {
      List<Object> xs = new ArrayList<>();
      List<Object> texts = new ArrayList<>();
      for (Point point : line.points) {
        xs.add(Math.round(10 * x(point.x)) / 10.0);
        texts.add(Axis.text(point.y));
      }
      series.add(java.util.Map.of("label", line.label, "x", xs, "y", texts));
    }
    return JSON.writeValueAsString(java.util.Map.of("unit", unit, "lines", series));
  }
}
