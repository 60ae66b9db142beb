package io.fjordmq.broker.net;

import java.time.Instant;
import java.util.function.IntSupplier;

/** Receives the events of listeners, for metrics. Called on any thread; must not block. */
public interface ListenerObserver {

  /**
   * A listener was opened.
   *
   * @param protocol {@code tcp}, {@code ssl}, {@code ws}, {@code wss} or {@code unix}
   * @param connections returns the number of open connections; can be called on any thread
   */
  default void onListening(
      String listener, String protocol, int maxConnections, IntSupplier connections) {}

  /**
   * A TLS handshake succeeded.
   *
   * @param resumed whether the handshake resumed an earlier session
   */
  default void onHandshake(boolean resumed) {}

  /**
   * The files of a TLS listener changed.
   *
   * @param loaded true if the new files are now in use, false if they cannot be used
   */
  default void onReload(boolean loaded) {}

  /** A listener uses a certificate that expires at the given time. */
  default void onCertificate(String listener, Instant expires) {}

  /** Ignores all events. */
  ListenerObserver NONE = new ListenerObserver() {};
}
