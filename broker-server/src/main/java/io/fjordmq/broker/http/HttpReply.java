package io.fjordmq.broker.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * A response.
 *
 * @param status the HTTP status
 * @param contentType the type of the body; empty if there is no body
 * @param headers further headers
 * @param content the body
 * @param gzip the body in gzip format, for clients that accept it; empty if there is none
 */
public record HttpReply(
    int status, String contentType, Map<String, String> headers, ReplyBody content, byte[] gzip) {
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";
  private static final byte[] NO_GZIP = {};
  private static final int NOT_MODIFIED = 304;

  /** Creates a response that is never compressed. */
  public HttpReply(int status, String contentType, Map<String, String> headers, byte[] body) {
    this(status, contentType, headers, ReplyBody.of(body));
  }

  /** Creates a response that is never compressed. */
  public HttpReply(int status, String contentType, Map<String, String> headers, ReplyBody content) {
    this(status, contentType, headers, content, NO_GZIP);
  }

  /** The body, without compression. */
  public byte[] body() {
    return content.bytes();
  }

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

  /** The response to a client that already has the body. */
  static HttpReply notModified(HttpReply reply) {
    return new HttpReply(NOT_MODIFIED, "", reply.headers(), NO_GZIP);
  }

  HttpReply withHeader(String name, String value) {
    Map<String, String> extended = new HashMap<>(headers);
    extended.put(name, value);
    return new HttpReply(status, contentType, Map.copyOf(extended), content, gzip);
  }

  /**
   * Compresses the body for clients that accept gzip. Only for content without secrets: the size of
   * a compressed response reveals whether text that an attacker chose also occurs in a secret
   * (BREACH).
   */
  public HttpReply withGzip() {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream(content.length() / 8 + 64);
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(body());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot compress a response in memory", e);
    }
    return new HttpReply(status, contentType, headers, content, compressed.toByteArray());
  }

  boolean hasGzip() {
    return gzip.length > 0;
  }
}
