package io.fjordmq.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that limit how long something is valid. */
final class ExpiryOptions {
  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "end time, such as 2027-01-31T12:00:00Z (default: never)")
  @Nullable String until;

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      description = "duration, such as 90s, 15m, 12h or 30d")
  @Nullable String duration;

  /**
   * Returns the expiry time in RFC 3339 format; null if there is none.
   *
   * @throws UsageException if the options are invalid
   */
  @Nullable String expiresAt(Instant now) {
    if (until != null && duration != null) {
      throw new UsageException("--until and --for cannot be combined");
    }
    if (until != null) {
      return parse(until).toString();
    }
    return duration == null
        ? null
        : now.truncatedTo(ChronoUnit.SECONDS).plus(parseDuration(duration)).toString();
  }

  private static Instant parse(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new UsageException(
          "--until must be a time such as 2027-01-31T12:00:00Z, not '" + text + "'");
    }
  }

  /**
   * Parses the value of {@code --for}.
   *
   * @throws UsageException if it is invalid
   */
  static Duration parseDuration(String text) {
    if (text.matches("[0-9]{1,6}[smhd]")) {
      long number = Long.parseLong(text.substring(0, text.length() - 1));
      Duration parsed =
          switch (text.charAt(text.length() - 1)) {
            case 's' -> Duration.ofSeconds(number);
            case 'm' -> Duration.ofMinutes(number);
            case 'h' -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
          };
      if (number > 0) {
        return parsed;
      }
    }
    throw new UsageException(
        "--for must be a duration such as 90s, 15m, 12h or 30d, not '" + text + "'");
  }
}
