package io.fjordmq.broker.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A response.
 *
 * @param status the HTTP status
 * @param contentType the type of the body; empty if there is no body
 * @param headers further headers
 */
public record HttpReply(int status, String contentType, Map<String, String> headers, byte[] body) {
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";

  static HttpReply text(int status, String text) {
    return new HttpReply(status, TEXT, Map.of(), text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * An error in the format of the API, for requests that do not get as far as the API.
   *
   * @param message contains no character that JSON escapes
   */
  static HttpReply apiError(int status, String code, String message) {
    String json = "{\"code\":\"" + code + "\",\"message\":\"" + message + "\"}";
    return new HttpReply(status, JSON, Map.of(), json.getBytes(StandardCharsets.UTF_8));
  }

  HttpReply withHeader(String name, String value) {
    return new HttpReply(status, contentType, Map.of(name, value), body);
  }
}
