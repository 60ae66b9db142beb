package io.fjordmq.perf.report;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, collections, strings, numbers and booleans as JSON. */
public final class JsonFormatter {
  private final StringBuilder out = new StringBuilder();

  private JsonFormatter() {}

  /** With line breaks and a final newline. */
  public static String write(Object value) {
    JsonFormatter jsonFormatter = new JsonFormatter();
    jsonFormatter.value(value, 0);
    return jsonFormatter.out.append('\n').toString();
  }

  private void value(@Nullable Object value, int depth) {
    if (value instanceof Map<?, ?> map) {
      map(map, depth);
    } else if (value instanceof Collection<?> list) {
      list(list, depth);
    } else if (value instanceof Number number) {
      number(number.doubleValue());
    } else if (value instanceof Boolean) {
      out.append(value);
    } else {
      string(String.valueOf(value));
    }
  }

  private void map(Map<?, ?> map, int depth) {
    boolean flat = map.values().stream().noneMatch(JsonFormatter::isNested);
    out.append('{');
    Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<?, ?> entry = entries.next();
      line(flat && depth > 2 ? 0 : depth + 1);
      string(String.valueOf(entry.getKey()));
      out.append(": ");
      value(entry.getValue(), depth + 1);
      out.append(entries.hasNext() ? ", " : "");
    }
    line(flat && depth > 2 ? 0 : depth);
    out.append('}');
  }

  private void list(Collection<?> list, int depth) {
    out.append('[');
    Iterator<?> values = list.iterator();
    while (values.hasNext()) {
      line(depth + 1);
      value(values.next(), depth + 1);
      out.append(values.hasNext() ? "," : "");
    }
    if (!list.isEmpty()) {
      line(depth);
    }
    out.append(']');
  }

  private static boolean isNested(Object value) {
    return value instanceof Map || value instanceof Collection;
  }

  private void line(int depth) {
    if (depth > 0) {
      out.append('\n').append("  ".repeat(depth));
    }
  }

  /** With six decimals; NaN and infinity are written as text. */
  private void number(double value) {
    if (!Double.isFinite(value)) {
      string(String.valueOf(value));
    } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      out.append((long) value);
    } else {
      out.append(
          new java.math.BigDecimal(value)
              .setScale(6, java.math.RoundingMode.HALF_EVEN)
              .stripTrailingZeros()
              .toPlainString());
    }
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 0x20) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
