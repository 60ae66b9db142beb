package io.fjordmq.broker.net;

import java.time.Instant;

/** What listeners tell the metrics. Any thread; must not block. */
public interface ListenerObserver {

  /** A TLS handshake succeeded; resumed: it took up an earlier session. */
  default void handshake(boolean resumed) {}

  /** Files of a TLS listener had changed and were taken over, or could not be. */
  default void reloaded(boolean takenOver) {}

  /** A listener uses a certificate that is valid until then. */
  default void certificate(String listener, Instant expires) {}

  /** For those who need to know nothing. */
  ListenerObserver NONE = new ListenerObserver() {};
}
