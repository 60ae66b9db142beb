package io.fjordmq.perf.report;

import java.util.ArrayList;
import java.util.List;

/**
 * An axis of a chart: maps values to positions from 0 to 1 and chooses round numbers for tick
 * marks.
 *
 * @param low value at 0
 * @param high value at 1, greater than {@code low}
 * @param logarithmic requires {@code low} above 0
 */
record Axis(double low, double high, boolean logarithmic) {
  private static final int MARKS = 5;

  /** Creates an axis from 0 to a round number at or above the highest value. */
  static Axis fromZero(double highest) {
    double step = roundStep(Math.max(highest, 1e-9) / MARKS);
    return new Axis(0, step * Math.ceil(Math.max(highest, 1e-9) / step), false);
  }

  /** Creates an axis between two values, without rounding. */
  static Axis between(double low, double high) {
    return new Axis(low, high > low ? high : low + 1, false);
  }

  /**
   * Creates a logarithmic axis from one power of ten to another, which includes the given values.
   */
  static Axis logarithmic(double lowest, double highest) {
    double low = Math.pow(10, Math.floor(Math.log10(Math.max(lowest, 1e-3))));
    double high = Math.pow(10, Math.ceil(Math.log10(Math.max(highest, low * 10))));
    return new Axis(low, high, true);
  }

  /** Returns the lowest number at or above the value that is 1, 2 or 5 times a power of ten. */
  private static double roundStep(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    for (double factor : new double[] {1, 2, 5}) {
      if (factor * power >= value * (1 - 1e-9)) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  /** Returns the position of a value, 0 to 1; values outside the axis are moved to its edge. */
  double position(double value) {
    double position =
        logarithmic
            ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
            : (value - low) / (high - low);
    return Math.max(0, Math.min(1, position));
  }

  /** Returns the values of the tick marks, ascending. */
  List<Double> marks() {
    List<Double> marks = new ArrayList<>();
    if (logarithmic) {
      boolean sparse = Math.log10(high / low) < 2.5;
      for (double power = low; power <= high * 1.001; power *= 10) {
        for (double factor : sparse ? new double[] {1, 2, 5} : new double[] {1}) {
          if (factor * power <= high * 1.001) {
            marks.add(factor * power);
          }
        }
      }
      return marks;
    }
    double step = roundStep((high - low) / MARKS);
    for (double mark = Math.ceil(low / step) * step; mark <= high + step * 1e-6; mark += step) {
      marks.add(Math.abs(mark) < step * 1e-6 ? 0 : mark);
    }
    return marks;
  }

  /** Returns the text of a tick mark, such as 1.5k for 1500. */
  static String text(double value) {
    double size = Math.abs(value);
    if (size >= 1e6) {
      return trimmed(value / 1e6) + "M";
    }
    if (size >= 1e4 || size >= 1e3 && value % 100 == 0) {
      return trimmed(value / 1e3) + "k";
    }
    return trimmed(value);
  }

  private static String trimmed(double value) {
    double size = Math.abs(value);
    int digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    String text = ("%." + digits + "f").formatted(value);
    return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
  }
}
