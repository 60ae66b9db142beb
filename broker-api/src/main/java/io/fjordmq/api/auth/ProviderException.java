package io.fjordmq.api.auth;

import org.jspecify.annotations.Nullable;

/**
 * A provider could not respond. The message is for operators and contains no secrets.
 *
 * @since 0.1.0
 */
public final class ProviderException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean safeToRetry;
  private final boolean aboutClient;

  /**
   * @param safeToRetry whether the same call can be repeated at once without side effects, and may
   *     then succeed, for example because the connection was lost before the request was sent
   */
  public ProviderException(String message, boolean safeToRetry, @Nullable Throwable cause) {
    this(message, safeToRetry, false, cause);
  }

  private ProviderException(
      String message, boolean safeToRetry, boolean aboutClient, @Nullable Throwable cause) {
    super(message, cause);
    this.safeToRetry = safeToRetry;
    this.aboutClient = aboutClient;
  }

  /**
   * Creates an exception for a provider that works, but cannot decide about this client, for
   * example because of its name or because its stored rules are invalid. Such failures do not open
   * the circuit breaker, so that one client cannot make the provider unavailable for the others.
   */
  public static ProviderException aboutClient(String message, @Nullable Throwable cause) {
    return new ProviderException(message, false, true, cause);
  }

  /** Whether the call can be repeated at once. */
  public boolean isSafeToRetry() {
    return safeToRetry;
  }

  /** Whether the provider works, but cannot decide about this client. */
  public boolean isAboutClient() {
    return aboutClient;
  }
}
