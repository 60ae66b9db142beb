package io.fjordmq.broker.trace;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * The beginning of a trace line: UTC time, node and kind of line. Sorting lines as text sorts them
 * by time.
 */
final class TraceLine {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
  private static final int TYPICAL_CHARS = 256;

  private TraceLine() {}

  static StringBuilder begin(long millis, String node, String kind) {
    StringBuilder line = new StringBuilder(TYPICAL_CHARS);
    TIME.formatTo(Instant.ofEpochMilli(millis), line);
    return line.append(' ').append(node).append(' ').append(kind);
  }
}
