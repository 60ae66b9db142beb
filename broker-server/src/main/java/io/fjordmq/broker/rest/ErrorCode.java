package io.fjordmq.broker.rest;

/**
 * The codes in error responses, with their HTTP status. Where EMQX 5 has a code, it is the same.
 */
public enum ErrorCode {
  BAD_REQUEST(400),
  /** The operation is never allowed on this object. */
  NOT_ALLOWED(400),
  /** The credentials of an API key are invalid. */
  BAD_API_KEY_OR_SECRET(401),
  /** The user name or password is wrong. */
  BAD_USERNAME_OR_PWD(401),
  /** The token is unknown. */
  BAD_TOKEN(401),
  /** The token has expired. */
  TOKEN_TIME_OUT(401),
  /** The Authorization header is missing, or neither Basic nor Bearer. */
  AUTHORIZATION_HEADER_ERROR(401),
  /** The caller's role does not allow the operation. */
  UNAUTHORIZED_ROLE(403),
  /** The caller is bound to a tenant that does not allow the operation. */
  FORBIDDEN(403),
  /** The current password is wrong; EMQX has 400. */
  ERROR_PWD_NOT_MATCH(403),
  NOT_FOUND(404),
  CLIENTID_NOT_FOUND(404),
  TOPIC_NOT_FOUND(404),
  USER_NOT_FOUND(404),
  METHOD_NOT_ALLOWED(405),
  /** The request conflicts with the current state. */
  CONFLICT(409),
  ALREADY_EXISTS(409),
  PAYLOAD_TOO_LARGE(413),
  UNSUPPORTED_MEDIA_TYPE(415),
  TOO_MANY_REQUESTS(429),
  INTERNAL_ERROR(500),
  /** The node cannot handle the request now. */
  SERVICE_UNAVAILABLE(503),
  /** The operation did not complete in time and may still complete. */
  TIMEOUT(504);

  private final int status;

  ErrorCode(int status) {
    this.status = status;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }
}
