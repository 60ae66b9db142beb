package io.fjordmq.broker.net;

import java.time.Instant;

/** Receives the events of listeners, for metrics. Called on any thread; must not block. */
public interface ListenerObserver {

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
