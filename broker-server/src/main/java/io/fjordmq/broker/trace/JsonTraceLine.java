package io.fjordmq.broker.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of a trace as a JSON object, so that programs need not parse the text:
 *
 * <pre>
 *   {"time":"2026-01-31T12:00:00.123Z","node":"n1","kind":"recv","text":"PUBLISH",
 *    "fields":{"client":"c","topic":"a/b","qos":"1"}}
 * </pre>
 *
 * <p>Values are texts; a field that occurs several times is a list. Only traces in this format pay
 * for the conversion, on the thread that writes the files. Lines still sort by time.
 */
final class JsonTraceLine {
  private static final Pattern NAME = Pattern.compile("([a-z][a-z0-9_]*)=");
  private static final int UNICODE_DIGITS = 4;

  private final String line;
  private final StringBuilder text = new StringBuilder();
  private final Map<String, List<String>> fields = new LinkedHashMap<>();
  private int at;

  private JsonTraceLine(String line) {
    this.line = line;
  }

  /**
   * @param line as {@link TraceLine} and {@link TraceText} write it; may end with a line break
   * @return ends with a line break if the line does
   */
  static String of(String line) {
    boolean isEnded = line.endsWith("\n");
    JsonTraceLine parsed = new JsonTraceLine(isEnded ? line.substring(0, line.length() - 1) : line);
    StringBuilder out = new StringBuilder(2 * line.length()).append('{');
    quote(out, "time", parsed.bare());
    quote(out.append(','), "node", parsed.bare());
    quote(out.append(','), "kind", parsed.bare());
    parsed.readRest();
    parsed.writeRest(out);
    return out.append(isEnded ? "}\n" : "}").toString();
  }

  /** A line without a time and a node. */
  static String comment(String text) {
    StringBuilder out = new StringBuilder("{");
    quote(out, "kind", "note");
    quote(out.append(','), "text", text);
    return out.append('}').toString();
  }

  private void readRest() {
    Matcher name = NAME.matcher(line);
    while (at < line.length()) {
      if (name.region(at, line.length()).lookingAt()) {
        at = name.end();
        fields.computeIfAbsent(name.group(1), first -> new ArrayList<>(1)).add(value());
      } else {
        text.append(text.isEmpty() ? "" : " ").append(value());
      }
    }
  }

  private String value() {
    return at < line.length() && line.charAt(at) == '"' ? quoted() : bare();
  }

  private String bare() {
    int end = line.indexOf(' ', at);
    String word = line.substring(at, end < 0 ? line.length() : end);
    at = end < 0 ? line.length() : end + 1;
    return word;
  }

  private String quoted() {
    StringBuilder value = new StringBuilder();
    at++;
    while (at < line.length() && line.charAt(at) != '"') {
      char c = line.charAt(at++);
      if (c == '\\' && at < line.length()) {
        unescape(value, line.charAt(at++));
      } else {
        value.append(c);
      }
    }
    at += 2; // the quote and the space
    return value.toString();
  }

  private void unescape(StringBuilder value, char escaped) {
    if (escaped == 'n') {
      value.append('\n');
    } else if (escaped == 'u' && at + UNICODE_DIGITS <= line.length()) {
      value.append((char) Integer.parseInt(line, at, at + UNICODE_DIGITS, 16));
      at += UNICODE_DIGITS;
    } else {
      value.append(escaped);
    }
  }

  private void writeRest(StringBuilder out) {
    if (!text.isEmpty()) {
      quote(out.append(','), "text", text.toString());
    }
    if (fields.isEmpty()) {
      return;
    }
    String separator = ",\"fields\":{";
    for (Map.Entry<String, List<String>> field : fields.entrySet()) {
      out.append(separator).append('"').append(field.getKey()).append("\":");
      List<String> values = field.getValue();
      if (values.size() == 1) {
        quote(out, values.get(0));
      } else {
        String before = "[";
        for (String value : values) {
          quote(out.append(before), value);
          before = ",";
        }
        out.append(']');
      }
      separator = ",";
    }
    out.append('}');
  }

  private static void quote(StringBuilder out, String name, String value) {
    quote(out.append('"').append(name).append("\":"), value);
  }

  private static void quote(StringBuilder out, String value) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (Character.isISOControl(c)
          || c == '\u2028'
          || c == '\u2029'
          || Character.isSurrogate(c)) {
        out.append(String.format("\\u%04x", (int) c)); // a pair of surrogates is one character
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
