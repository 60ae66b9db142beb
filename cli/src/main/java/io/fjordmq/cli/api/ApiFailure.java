package io.fjordmq.cli.api;

/** A request failed. The message is for the user and says what to do. */
public final class ApiFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What failed. */
  public enum Kind {
    /** The node rejected the request or could not handle it. */
    REJECTED,
    /** The node rejected what the request contains; requests with other contents can succeed. */
    INVALID,
    /** What the request names does not exist. */
    NOT_FOUND,
    /** What the request would create exists already. */
    EXISTS,
    /** The node is not running, cannot be reached or does not respond. */
    UNREACHABLE
  }

  private final Kind kind;

  public ApiFailure(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** Returns a failure with a message and the exception that caused it. */
  static ApiFailure unreachable(String message, Throwable cause) {
    ApiFailure failure = new ApiFailure(Kind.UNREACHABLE, message);
    failure.initCause(cause);
    return failure;
  }

  public Kind kind() {
    return kind;
  }
}
