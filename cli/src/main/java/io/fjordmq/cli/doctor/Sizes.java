package io.fjordmq.cli.doctor;

import java.util.List;
import java.util.Locale;

/** Formats sizes for people. */
final class Sizes {
  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB");
  private static final int STEP = 1024;

  private Sizes() {}

  /** Returns a size such as {@code 14.7 GiB}. */
  static String text(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= STEP && unit < UNITS.size() - 1) {
      value /= STEP;
      unit++;
    }
    String format = unit == 0 || value == Math.rint(value) ? "%.0f %s" : "%.1f %s";
    return String.format(Locale.ROOT, format, value, UNITS.get(unit));
  }
}
