package io.fjordmq.broker.rest;

import java.util.Map;

/** Ends an operation with an error response. The message is for the caller. */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ErrorCode code;
  private final transient Map<String, String> headers;

  public ApiException(ErrorCode code, String message) {
    this(code, message, Map.of());
  }

  /**
   * @param headers additional response headers, such as Retry-After
   */
  public ApiException(ErrorCode code, String message, Map<String, String> headers) {
    super(message, null, false, false); // an expected outcome, so it needs no stack trace
    this.code = code;
    this.headers = Map.copyOf(headers);
  }

  /** A parameter or field is invalid; the message begins with its name. */
  public static ApiException badRequest(String message) {
    return new ApiException(ErrorCode.BAD_REQUEST, message);
  }

  /** The object that the path names does not exist. */
  public static ApiException notFound(String message) {
    return new ApiException(ErrorCode.NOT_FOUND, message);
  }

  /** The request conflicts with the current state. */
  public static ApiException conflict(String message) {
    return new ApiException(ErrorCode.CONFLICT, message);
  }

  /** The node cannot handle the request now; the caller may retry. */
  public static ApiException unavailable(String message) {
    return new ApiException(ErrorCode.SERVICE_UNAVAILABLE, message);
  }

  /** The node has too much to do at the moment; the caller may retry after a second. */
  public static ApiException busy(String message) {
    return new ApiException(ErrorCode.SERVICE_UNAVAILABLE, message, Map.of("Retry-After", "1"));
  }

  /** The code of the response body. */
  public ErrorCode code() {
    return code;
  }

  /** The HTTP status of the response. */
  public int status() {
    return code.status();
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  Map<String, String> headers() {
    return headers;
  }
}
