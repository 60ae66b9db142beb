package io.fjordmq.broker.rest;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as in RFC 3339. Requests can use larger offsets than those of {@link ZoneOffset}. */
final class Rfc3339 {
  private static final Pattern TIME =
      Pattern.compile("([0-9]{4}-.+)(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))");

  private static final byte[] PATTERN =
      "0000-00-00T00:00:00.000Z".getBytes(StandardCharsets.ISO_8859_1);
  private static final int SECONDS_PER_DAY = 86_400;
  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final long MILLIS_PER_DAY = 1000L * SECONDS_PER_DAY;

  /** The last second of the year 9999. */
  private static final long LAST_SECOND = 253_402_300_799L;

  private Rfc3339() {}

  /** Formats a time like {@link Instant#toString}, but several times as fast. */
  static byte[] format(Instant time) {
    return time.getNano() % NANOS_PER_MILLI == 0
            && time.getEpochSecond() >= 0
            && time.getEpochSecond() <= LAST_SECOND
        ? format(time.toEpochMilli())
        : time.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * Formats a time like {@link Instant#toString}.
   *
   * @param epochMillis from 1970 to the year 9999
   */
  static byte[] format(long epochMillis) {
    LocalDate date = LocalDate.ofEpochDay(epochMillis / MILLIS_PER_DAY);
    int second = (int) (epochMillis / 1000 % SECONDS_PER_DAY);
    int millis = (int) (epochMillis % 1000);
    byte[] text = PATTERN.clone();
    put(text, 0, 4, date.getYear());
    put(text, 5, 2, date.getMonthValue());
    put(text, 8, 2, date.getDayOfMonth());
    put(text, 11, 2, second / 3600);
    put(text, 14, 2, second / 60 % 60);
    put(text, 17, 2, second % 60);
    if (millis == 0) {
      text[19] = 'Z';
      return Arrays.copyOf(text, 20);
    }
    put(text, 20, 3, millis);
    return text;
  }

  private static void put(byte[] text, int from, int digits, int number) {
    int rest = number;
    for (int i = from + digits - 1; i >= from; i--) {
      text[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

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
