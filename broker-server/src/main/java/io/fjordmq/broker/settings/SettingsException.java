package io.fjordmq.broker.settings;

import io.fjordmq.common.OperationException;

/** Thrown if a change of the configuration failed; the message is for the caller of the API. */
public final class SettingsException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** A key or value is invalid; the message begins with the key. */
    INVALID,
    /** No value of the key is set. */
    NOT_FOUND,
    /** Too many values are set. */
    FULL,
    /** Another request changed the configuration at the same time; nothing was written. */
    CHANGED,
    /** The metadata cannot be read or written at the moment; the caller may retry. */
    UNAVAILABLE
  }

  SettingsException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
