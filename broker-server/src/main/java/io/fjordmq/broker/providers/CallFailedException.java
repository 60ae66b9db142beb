package io.fjordmq.broker.providers;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A provider did not respond. The message is for operators. */
public final class CallFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final CallOutcome outcome;

  CallFailedException(CallOutcome outcome, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
  }

  /** Returns the reason of a failed call, for operators. */
  public static String messageOf(@Nullable Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof CallFailedException
        ? String.valueOf(cause.getMessage())
        : String.valueOf(cause);
  }

  /** Why there is no result. */
  public CallOutcome outcome() {
    return outcome;
  }
}
