package io.fjordmq.common;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if bytes were written by a newer version of FjordMQ and this node cannot read them. This
 * is an operating error and not a bug: the message tells the operator what to do, and callers log
 * it without a stack trace.
 */
public final class NewerFormatException extends MalformedBytesException {
  private static final long serialVersionUID = 1;

  private NewerFormatException(String message) {
    super(message);
  }

  /**
   * Rejects every version of a format except the known one.
   *
   * @param format name of the format for error messages
   * @throws NewerFormatException if the version found is newer
   * @throws MalformedBytesException if the version found is older or was never used
   */
  public static void require(String format, int known, int found) {
    if (found > known) {
      throw new NewerFormatException(
          "%s has version %d, this node reads version %d: upgrade this node"
              .formatted(format, found, known));
    }
    if (found != known) {
      throw new MalformedBytesException(
          "%s has version %d, this node reads version %d".formatted(format, found, known));
    }
  }

  /** Returns the exception for a kind of this format that a newer version must have added. */
  public static NewerFormatException unknownKind(String format, int kind) {
    return new NewerFormatException(
        "%s of unknown kind %d, probably written by a newer version: upgrade this node"
            .formatted(format, kind));
  }

  /** Finds this exception in the cause chain of a failure; null if there is none. */
  public static @Nullable NewerFormatException findIn(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof NewerFormatException newer) {
        return newer;
      }
    }
    return null;
  }
}
