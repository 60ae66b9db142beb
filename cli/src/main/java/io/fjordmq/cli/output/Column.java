package io.fjordmq.cli.output;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * A column of a table.
 *
 * @param header in upper case
 * @param value computes the cell from an element of the list; an empty text if there is no value
 * @param align how cells are aligned, and whether they may be cut
 * @param shown when a terminal shows the column; programs always get it
 */
public record Column(String header, Function<JsonNode, String> value, Align align, Shown shown) {
  /** How cells are printed on a terminal. */
  enum Align {
    /** At the left; may be cut. */
    LEFT,
    /** At the left; never cut. */
    LEFT_WHOLE,
    /** At the right; never cut. */
    RIGHT_WHOLE
  }

  /** When a terminal shows a column. */
  enum Shown {
    ALWAYS,
    /** If a cell has a value. */
    WITH_VALUES,
    /** If the terminal is wide enough for all columns. */
    IF_WIDE
  }

  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  /** A column with the text of a field. A dot separates the names of nested fields. */
  public static Column text(String header, String field) {
    return new Column(header, element -> plain(find(element, field)), Align.LEFT, Shown.ALWAYS);
  }

  /** A column with the number of a field. */
  public static Column number(String header, String field) {
    return new Column(
        header, element -> plain(find(element, field)), Align.RIGHT_WHOLE, Shown.ALWAYS);
  }

  /** A column with {@code yes} or {@code no}. */
  public static Column flag(String header, String field) {
    return new Column(
        header,
        element -> {
          JsonNode value = find(element, field);
          return !value.isBoolean() ? plain(value) : value.asBoolean() ? "yes" : "no";
        },
        Align.LEFT_WHOLE,
        Shown.ALWAYS);
  }

  /** A column with a time as in RFC 3339, to the second. */
  public static Column time(String header, String field) {
    return time(header, field, ChronoUnit.SECONDS);
  }

  /** A column with a time as in RFC 3339. */
  public static Column time(String header, String field, ChronoUnit precision) {
    return new Column(
        header,
        element -> truncate(plain(find(element, field)), precision),
        Align.LEFT_WHOLE,
        Shown.ALWAYS);
  }

  /** A column with a number of bytes. */
  public static Column bytes(String header, String field) {
    return new Column(
        header, element -> size(find(element, field)), Align.RIGHT_WHOLE, Shown.ALWAYS);
  }

  /** A column whose cells need several fields. */
  public static Column computed(String header, Function<JsonNode, String> value) {
    return new Column(header, value, Align.LEFT, Shown.ALWAYS);
  }

  /** Returns the same column, which terminals show only if a cell has a value. */
  public Column optional() {
    return new Column(header, value, align, Shown.WITH_VALUES);
  }

  /** Returns a copy that never truncates cells. For short cells, or the last column. */
  public Column whole() {
    return new Column(header, value, Align.LEFT_WHOLE, shown);
  }

  /** Returns the same column, which terminals show only if they are wide enough. */
  public Column ifWide() {
    return new Column(header, value, align, Shown.IF_WIDE);
  }

  String cell(JsonNode element) {
    return TerminalText.printable(value.apply(element));
  }

  private static JsonNode find(JsonNode element, String field) {
    JsonNode found = element;
    for (String name : field.split("\\.")) {
      found = found.path(name);
    }
    return found;
  }

  /** Returns a value as text; an empty text if it is null or missing. */
  public static String plain(JsonNode value) {
    if (value.isNull() || value.isMissingNode()) {
      return "";
    }
    if (value.isArray()) {
      return value.valueStream().map(Column::plain).collect(Collectors.joining(", "));
    }
    return value.isObject() ? value.toString() : value.asString();
  }

  private static String truncate(String time, ChronoUnit precision) {
    try {
      return OffsetDateTime.parse(time).truncatedTo(precision).toInstant().toString();
    } catch (DateTimeException e) {
      return time; // such as "infinity"
    }
  }

  private static String size(JsonNode value) {
    if (!value.isNumber()) {
      return plain(value);
    }
    double size = value.asDouble();
    int unit = 0;
    while (size >= 1024 && unit < UNITS.length - 1) {
      size /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", size, UNITS[unit]);
  }
}
