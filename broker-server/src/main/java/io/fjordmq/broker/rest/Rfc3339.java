package io.fjordmq.broker.rest;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as in RFC 3339, whose offsets can be larger than those of {@link ZoneOffset}. */
final class Rfc3339 {
  private static final Pattern TIME =
      Pattern.compile("([0-9]{4}-.+)(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))");

  private Rfc3339() {}

  /**
   * Parses a time.
   *
   * @throws DateTimeException if the text is not a time
   */
  static Instant parse(String text) {
    Matcher parts = TIME.matcher(text);
    if (!parts.matches()) {
      throw new DateTimeException("not a time with an offset: " + text);
    }
    Instant local =
        LocalDateTime.parse(parts.group(1).toUpperCase(Locale.ROOT)).toInstant(ZoneOffset.UTC);
    if (parts.group(2) == null) {
      return local;
    }
    long minutes = Integer.parseInt(parts.group(3)) * 60L + Integer.parseInt(parts.group(4));
    return local.plusSeconds((parts.group(2).equals("+") ? -60 : 60) * minutes);
  }
}
