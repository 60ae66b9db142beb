package io.fjordmq.api.auth;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Makes a value safe for the place in a {@link Template} where it is inserted. The values come from
 * clients and can contain anything.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Escaper {
  /** For places that have no syntax, such as one argument of a Redis command or a JSON value. */
  Escaper NONE = (value, before) -> value;

  /** For a part of the path or the query of a URL, and for form parameters. */
  Escaper URL =
      (value, before) -> URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");

  /** For the value of an HTTP header: only visible ASCII characters stay as they are. */
  Escaper HEADER =
      (value, before) ->
          value.chars().allMatch(c -> c > ' ' && c < 0x7F && c != '%')
              ? value
              : URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");

  /**
   * For a topic filter in a rule that denies. Refuses values that are empty or contain a wildcard;
   * no topic contains such a value.
   */
  Escaper DENIED_TOPIC =
      (value, before) ->
          value.isEmpty() || value.indexOf('+') >= 0 || value.indexOf('#') >= 0 ? null : value;

  /**
   * For a topic filter in a rule that allows. Also refuses values that would let the filter begin
   * with {@code $}, because such a filter matches the topics of the broker.
   */
  Escaper ALLOWED_TOPIC =
      (value, before) ->
          before.isEmpty() && value.startsWith("$") ? null : DENIED_TOPIC.escape(value, before);

  /**
   * Escapes a value.
   *
   * @param value the value of a placeholder
   * @param before the text that precedes the value
   * @return the escaped value; null if the template must not be used with this value
   */
  @Nullable String escape(String value, String before);
}
