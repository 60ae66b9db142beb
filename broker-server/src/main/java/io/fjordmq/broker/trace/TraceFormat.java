package io.fjordmq.broker.trace;

import java.util.Locale;

/** How the lines of a trace are written. */
public enum TraceFormat {
  /** {@code key=value} pairs. */
  TEXT,
  /** One JSON object per line. */
  JSON;

  /** The name of the format for operators. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns a line of text in this format. */
  String of(String line) {
    return this == JSON ? JsonTraceLine.of(line) : line;
  }

  /** Returns a line about the whole download, which is not from a node. */
  String comment(String text) {
    return this == JSON ? JsonTraceLine.comment(text) : "# " + text;
  }
}
