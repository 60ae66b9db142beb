package io.fjordmq.broker.query;

/** A query that cannot be answered; the message tells an operator why. */
public final class QueryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  QueryException(String message) {
    super(message);
  }
}
