package io.fjordmq.broker.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import org.jspecify.annotations.Nullable;

/**
 * A log line as a JSON object. The {@code key=value} pairs of the message are also in {@code
 * fields}, so that programs need not parse the message:
 *
 * <pre>
 *   {"timestamp":"2026-01-31T12:00:00.123456Z","level":"INFO","logger":"io.fjordmq.broker.Node",
 *    "thread":"main","message":"FjordMQ is ready ms=812","fields":{"ms":812}}
 * </pre>
 *
 * <p>A line about an exception also has {@code exception}, the stack trace. Stateless.
 */
final class JsonLine {
  /** Returns the object, followed by a line break. */
  String of(ILoggingEvent event) {
    StringBuilder out = new StringBuilder(256).append('{');
    appendText(out, "timestamp", event.getInstant().toString());
    appendText(out.append(','), "level", event.getLevel().toString());
    appendText(out.append(','), "logger", event.getLoggerName());
    appendText(out.append(','), "thread", event.getThreadName());
    appendText(out.append(','), "message", String.valueOf(event.getFormattedMessage()));
    int before = out.length();
    LogFields.forEach(event, (key, value) -> appendField(out, before, key, value));
    out.append(out.length() > before ? "}" : "");
    IThrowableProxy exception = event.getThrowableProxy();
    if (exception != null) {
      appendText(out.append(','), "exception", ThrowableProxyUtil.asString(exception));
    }
    return out.append("}\n").toString();
  }

  /**
   * Adds a member of {@code fields}.
   *
   * @param start where {@code fields} begins
   */
  private static void appendField(
      StringBuilder out, int start, String key, @Nullable Object value) {
    out.append(out.length() == start ? ",\"fields\":{" : ",");
    out.append('"').append(Escapes.quoted(key)).append("\":");
    if (value == null
        || value instanceof Boolean
        || value instanceof Integer
        || value instanceof Long) {
      out.append(value);
    } else {
      out.append('"').append(Escapes.quoted(String.valueOf(value))).append('"');
    }
  }

  private static void appendText(StringBuilder out, String name, String value) {
    out.append('"').append(name).append("\":\"").append(Escapes.quoted(value)).append('"');
  }
}
