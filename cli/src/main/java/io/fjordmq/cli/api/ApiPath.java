package io.fjordmq.cli.api;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A path below {@code /api/v5} with its query. Immutable.
 *
 * @param path encoded; begins with a slash
 * @param query encoded; empty if there is none
 */
public record ApiPath(String path, String query) {

  /** Returns the path with these segments, which may contain any characters. */
  public static ApiPath of(String... segments) {
    return new ApiPath(
        Arrays.stream(segments).map(segment -> "/" + encode(segment)).collect(Collectors.joining()),
        "");
  }

  /** Adds a parameter; does nothing if the value is null. */
  public ApiPath with(String name, @Nullable Object value) {
    if (value == null) {
      return this;
    }
    String pair = encode(name) + "=" + encode(value.toString());
    return new ApiPath(path, query.isEmpty() ? pair : query + "&" + pair);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public String toString() {
    return query.isEmpty() ? path : path + "?" + query;
  }
}
