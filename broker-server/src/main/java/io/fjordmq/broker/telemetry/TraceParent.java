package io.fjordmq.broker.telemetry;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The trace context of a message: its user property {@code traceparent}, in the format of W3C Trace
 * Context.
 *
 * <pre>
 *   00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
 *   |  trace id                         parent span id   flags, of which 1 is "sampled"
 *   version
 * </pre>
 *
 * @param traceId 32 hexadecimal digits in lower case, not all zero
 * @param spanId 16 hexadecimal digits in lower case, not all zero: the span of the publisher
 */
public record TraceParent(String traceId, String spanId, boolean isSampled) {
  private static final String NAME = "traceparent";
  private static final int VERSION_END = 2;
  private static final int TRACE_ID_END = 35;
  private static final int SPAN_ID_END = 52;
  private static final int LENGTH = 55;
  private static final int SAMPLED = 1;

  /**
   * Returns the trace context of a message; null if it has none, several, or an invalid one. The
   * standard says to ignore those.
   */
  public static @Nullable TraceParent of(Message message) {
    MessageProperties properties = message.properties();
    if (properties.isEmpty()) {
      return null;
    }
    List<UserProperty> all = properties.userProperties();
    String found = null;
    for (int i = 0; i < all.size(); i++) { // no iterator: runs for each message
      if (all.get(i).name().equals(NAME)) {
        if (found != null) {
          return null;
        }
        found = all.get(i).value();
      }
    }
    return found == null ? null : parse(found);
  }

  /** Parses a value; null if it is invalid. Newer versions may have more fields. */
  static @Nullable TraceParent parse(String text) {
    boolean isVersionZero = text.startsWith("00");
    if (text.length() < LENGTH
        || (text.length() > LENGTH && (isVersionZero || text.charAt(LENGTH) != '-'))
        || text.startsWith("ff")
        || text.charAt(VERSION_END) != '-'
        || text.charAt(TRACE_ID_END) != '-'
        || text.charAt(SPAN_ID_END) != '-'
        || !isHex(text, 0, VERSION_END)
        || !isId(text, VERSION_END + 1, TRACE_ID_END)
        || !isId(text, TRACE_ID_END + 1, SPAN_ID_END)
        || !isHex(text, SPAN_ID_END + 1, LENGTH)) {
      return null;
    }
    int flags = Character.digit(text.charAt(LENGTH - 1), 16);
    return new TraceParent(
        text.substring(VERSION_END + 1, TRACE_ID_END),
        text.substring(TRACE_ID_END + 1, SPAN_ID_END),
        (flags & SAMPLED) != 0);
  }

  private static boolean isHex(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'f')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isId(String text, int from, int to) {
    boolean isZero = true;
    for (int i = from; i < to; i++) {
      isZero &= text.charAt(i) == '0';
    }
    return !isZero && isHex(text, from, to);
  }
}
