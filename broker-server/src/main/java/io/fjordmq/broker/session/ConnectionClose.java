package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.LingeringClose;
import io.netty.handler.codec.mqtt.MqttMessage;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes the connection of an open session that ends. The connection is closed immediately, or
 * later if it is held because the session ends with the node's incarnation. Only used on the event
 * loop, except for {@link #releasePart}.
 */
final class ConnectionClose {
  private final Connection connection;
  private final Supplier<String> serverReference;
  private final Runnable whenHeldClosed;
  private boolean held;
  private @Nullable Duration heldFor;

  /**
   * The number of parts of the session that have yet to be released: its state and, if it is held,
   * its connection.
   */
  private final AtomicInteger releases = new AtomicInteger(1);

  /**
   * @param serverReference supplies the reference of the server to which clients are sent; empty
   *     for none
   * @param whenHeldClosed called when a held connection is closed, or if it is already closed
   */
  ConnectionClose(
      Connection connection, Supplier<String> serverReference, Runnable whenHeldClosed) {
    this.connection = connection;
    this.serverReference = serverReference;
    this.whenHeldClosed = whenHeldClosed;
  }

  /** Sends the DISCONNECT, if the protocol version has one, and closes the connection. */
  void close(CloseReason reason, String detail) {
    String reference = reason == CloseReason.USE_ANOTHER_SERVER ? serverReference.get() : "";
    MqttMessage packet =
        reason.isClientInitiated()
            ? null
            : connection.dialect().disconnect(reason, detail, reference);
    if (packet != null) {
      connection.writer().write(packet);
    }
    connection.writer().flush();
    if (reason.isClientInitiated()) {
      connection.channel().close();
    } else {
      LingeringClose.begin(connection.channel());
    }
  }

  /**
   * Keeps the connection open until {@link #closeIfHeld}. Until then, nothing is read from it, so
   * that TCP flow control stops the client from sending.
   *
   * @param closesIn the time after which the connection is expected to be closed
   */
  void hold(Duration closesIn) {
    held = true;
    heldFor = closesIn;
    releases.set(2);
    connection.channel().config().setAutoRead(false);
    connection.channel().closeFuture().addListener(closed -> onHeldClosed());
  }

  /** Closes the connection if it is held. */
  void closeIfHeld(CloseReason reason, String detail) {
    if (held) {
      onHeldClosed();
      close(reason, detail);
    }
  }

  private void onHeldClosed() {
    if (held) {
      held = false;
      whenHeldClosed.run();
    }
  }

  /** The time for which a held connection was expected to stay open; null if it was not held. */
  @Nullable Duration heldFor() {
    return heldFor;
  }

  /** Releases one part of the session; returns whether it was the last one. */
  boolean releasePart() {
    return releases.decrementAndGet() == 0;
  }
}
