package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.LingeringClose;
import io.netty.handler.codec.mqtt.MqttMessage;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Closes the connection of an open session that ends. If the session ends with the node's
 * incarnation, the connection is held and closed later; otherwise it is closed immediately. Only
 * used on the event loop, except for {@link #releasePart}.
 */
final class ConnectionClose {
  private static final AtomicIntegerFieldUpdater<ConnectionClose> RELEASES =
      AtomicIntegerFieldUpdater.newUpdater(ConnectionClose.class, "releases");

  private final Connection connection;
  private final SessionContext context;
  private final Session session;
  private boolean held;
  private @Nullable Duration heldFor;

  /**
   * The number of parts of the session that are not released yet: its state and, if the connection
   * is held, the connection.
   */
  @SuppressWarnings("UnusedVariable") // accessed through RELEASES
  private volatile int releases = 1;

  ConnectionClose(SessionContext context, Session session) {
    this.connection = session.connection();
    this.context = context;
    this.session = session;
  }

  /** Sends the DISCONNECT, if the protocol version has one, and closes the connection. */
  void close(CloseReason reason, String detail) {
    String reference = reason == CloseReason.USE_ANOTHER_SERVER ? context.serverReference() : "";
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
    releases = 2;
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
      context.onHeldConnectionClosed(session);
    }
  }

  /** The time for which a held connection was expected to stay open; null if it was not held. */
  @Nullable Duration heldFor() {
    return heldFor;
  }

  /** Releases one part of the session; returns whether it was the last one. */
  boolean releasePart() {
    return RELEASES.decrementAndGet(this) == 0;
  }
}
