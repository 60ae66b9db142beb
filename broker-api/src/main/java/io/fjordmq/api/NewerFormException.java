package io.fjordmq.api;

import org.jspecify.annotations.Nullable;

/**
 * Bytes that a newer FjordMQ has written: they are well, but not for this node. Not a defect, so
 * nobody logs its stack trace; the message says what to do.
 */
public final class NewerFormException extends MalformedBytesException {
  private static final long serialVersionUID = 1;

  private NewerFormException(String message) {
    super(message);
  }

  /**
   * Refuses any version of a form but the one known.
   *
   * @param form what it is, in the words of logs
   * @throws NewerFormException if it is a later one
   * @throws MalformedBytesException if it is none that ever was
   */
  public static void require(String form, int known, int found) {
    if (found > known) {
      throw new NewerFormException(
          "%s has version %d, this node reads version %d: upgrade this node"
              .formatted(form, found, known));
    }
    if (found != known) {
      throw new MalformedBytesException(
          "%s has version %d, this node reads version %d".formatted(form, found, known));
    }
  }

  /** A kind that has been added to a form since. */
  public static NewerFormException unknownKind(String form, int kind) {
    return new NewerFormException(
        "%s of unknown kind %d, perhaps of a newer version: upgrade this node"
            .formatted(form, kind));
  }

  /** The one among the causes of a failure; null if there is none. */
  public static @Nullable NewerFormException in(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof NewerFormException newer) {
        return newer;
      }
    }
    return null;
  }
}
