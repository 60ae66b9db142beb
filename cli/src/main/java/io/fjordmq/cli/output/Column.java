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
 * @param isNumber whether cells are aligned at the right and never cut
 * @param isOptional whether a terminal shows the column only if a cell has a value
 */
public record Column(
    String header, Function<JsonNode, String> value, boolean isNumber, boolean isOptional) {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  /** A column with the text of a field. A dot separates the names of nested fields. */
  public static Column text(String header, String field) {
    return new Column(header, element -> plain(find(element, field)), false, false);
  }

  /** A column with the number of a field. */
  public static Column number(String header, String field) {
    return new Column(header, element -> plain(find(element, field)), true, false);
  }

  /** A column with {@code yes} or {@code no}. */
  public static Column flag(String header, String field) {
    return new Column(
        header,
        element -> {
          JsonNode value = find(element, field);
          return !value.isBoolean() ? plain(value) : value.asBoolean() ? "yes" : "no";
        },
        false,
        false);
  }

  /** A column with a time as in RFC 3339, to the second. */
  public static Column time(String header, String field) {
    return new Column(header, element -> seconds(plain(find(element, field))), false, false);
  }

  /** A column with a number of bytes. */
  public static Column bytes(String header, String field) {
    return new Column(header, element -> size(find(element, field)), true, false);
  }

  /** A column whose cells need several fields. */
  public static Column computed(String header, Function<JsonNode, String> value) {
    return new Column(header, value, false, false);
  }

  /** Returns the same column, which terminals show only if a cell has a value. */
  public Column optional() {
    return new Column(header, value, isNumber, true);
  }

  String cell(JsonNode element) {
    return Text.printable(value.apply(element));
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

  private static String seconds(String time) {
    try {
      return OffsetDateTime.parse(time).truncatedTo(ChronoUnit.SECONDS).toInstant().toString();
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
