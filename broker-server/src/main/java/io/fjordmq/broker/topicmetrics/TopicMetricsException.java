package io.fjordmq.broker.topicmetrics;

import io.fjordmq.common.OperationException;

/** Thrown if an operation on topic metrics failed; the message is for the caller of the API. */
public final class TopicMetricsException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** The topic is invalid; the message begins with the name of the field. */
    INVALID,
    /** The topic is not registered. */
    NOT_FOUND,
    /** The topic is already registered. */
    EXISTS,
    /** The topic was changed at the same time by another request; nothing was written. */
    CHANGED,
    /** The cluster has the maximum number of registered topics. */
    FULL,
    /** The metadata cannot be written at the moment, or the outcome of the write is unknown. */
    UNAVAILABLE
  }

  TopicMetricsException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
