package io.fjordmq.common;

import java.util.Arrays;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if an operation failed. Each subclass belongs to one layer and has its own kinds, which
 * tell the caller what happened and how to react. Unchecked, because most operations are
 * asynchronous.
 */
public abstract class OperationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Enum<?> kind;

  protected OperationException(Enum<?> kind, String message) {
    super(message);
    this.kind = kind;
  }

  protected OperationException(Enum<?> kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Returns the kind of failure; subclasses narrow the type. */
  public Enum<?> kind() {
    return kind;
  }

  /**
   * Returns whether an operation failed with one of these kinds.
   *
   * @param failure as reported by a future; may be wrapped in a {@link CompletionException}
   */
  public static boolean isAny(@Nullable Throwable failure, Enum<?>... kinds) {
    return failure != null
        && unwrap(failure) instanceof OperationException known
        && Arrays.asList(kinds).contains(known.kind);
  }

  /** Returns the original failure, which dependent futures wrap in a CompletionException. */
  public static Throwable unwrap(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
