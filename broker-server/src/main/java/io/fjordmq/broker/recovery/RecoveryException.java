package io.fjordmq.broker.recovery;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A node cannot be recovered. The message says why, and what the operator can do. */
public final class RecoveryException extends IOException {
  private static final long serialVersionUID = 1L;

  RecoveryException(String message) {
    super(message);
  }

  RecoveryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
