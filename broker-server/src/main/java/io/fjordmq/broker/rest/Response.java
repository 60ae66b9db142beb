package io.fjordmq.broker.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response of an operation that succeeded. Immutable. Failures are {@link ApiException}s.
 *
 * @param status the HTTP status
 * @param json a record, or a list of records or strings; null for no content
 */
public record Response(int status, @Nullable Object json) {
  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int NO_CONTENT = 204;

  /**
   * One page of a list.
   *
   * @param data the elements of the page
   */
  record Page(List<?> data, Meta meta) {}

  /** 200 with a record, or with a list whose elements are records or texts. */
  public static Response ok(Object json) {
    return new Response(OK, json);
  }

  /** 200 with one page of a list. */
  public static Response list(List<?> data, Meta meta) {
    return new Response(OK, new Page(data, meta));
  }

  /**
   * 200 with a text that is not JSON, which the operation declares with {@link
   * Operation.Builder#okText}.
   */
  public static Response text(byte[] utf8) {
    return new Response(OK, new Text(utf8));
  }

  /**
   * A body that is plain text.
   *
   * @param utf8 must not be modified
   */
  @SuppressWarnings("ArrayRecordComponent") // a data carrier; never compared
  record Text(byte[] utf8) {}

  /** 201 with a record. */
  public static Response created(Object json) {
    return new Response(CREATED, json);
  }

  /** 204 without content. */
  public static Response noContent() {
    return new Response(NO_CONTENT, null);
  }

  /** Another status that the operation declares with {@link Operation.Builder#response}. */
  public static Response of(int status, Object json) {
    return new Response(status, json);
  }
}
