package io.fjordmq.cli;

import java.time.Duration;
import tools.jackson.databind.JsonNode;

/** Formats durations for people. */
final class Durations {
  private Durations() {}

  /**
   * Returns a number of milliseconds in its two largest units, such as {@code 3d 4h}; empty if the
   * value is not a number.
   */
  static String text(JsonNode millis) {
    if (!millis.isNumber()) {
      return "";
    }
    Duration time = Duration.ofMillis(millis.asLong());
    if (time.toDays() > 0) {
      return time.toDays() + "d " + time.toHoursPart() + "h";
    } else if (time.toHours() > 0) {
      return time.toHours() + "h " + time.toMinutesPart() + "m";
    }
    return time.toMinutes() > 0
        ? time.toMinutes() + "m " + time.toSecondsPart() + "s"
        : time.toSeconds() + "s";
  }
}
