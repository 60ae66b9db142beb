package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the parts of a session share: the client's channel, its dialect and the way out. */
final class Connection {
  private final Channel channel;
  private final SessionServices services;
  private final ConnectRequest request;
  private final String tenant;
  private final Dialect dialect;
  private final PacketWriter writer;
  private final ReadGate gate;
  private final Consumer<ProtocolViolation> failed;
  private boolean ended;

  /**
   * @param failed ends the session; called on the event loop
   */
  Connection(
      Channel channel,
      SessionServices services,
      ConnectRequest request,
      String tenant,
      ReadGate gate,
      Consumer<ProtocolViolation> failed) {
    this.channel = channel;
    this.services = services;
    this.request = request;
    this.tenant = tenant;
    this.dialect = Dialect.of(request, services.settings());
    this.writer = new PacketWriter(channel);
    this.gate = gate;
    this.failed = failed;
  }

  SessionServices services() {
    return services;
  }

  SessionSettings settings() {
    return services.settings();
  }

  SessionObserver observer() {
    return services.observer();
  }

  ConnectRequest request() {
    return request;
  }

  String tenant() {
    return tenant;
  }

  String clientId() {
    return request.clientId();
  }

  Dialect dialect() {
    return dialect;
  }

  PacketWriter writer() {
    return writer;
  }

  ReadGate gate() {
    return gate;
  }

  Channel channel() {
    return channel;
  }

  Peer peer() {
    return Peer.of(channel);
  }

  EventLoop loop() {
    return channel.eventLoop();
  }

  long nowMillis() {
    return services.clock().millis();
  }

  /** Ends the session for a reason. On the event loop. */
  void fail(CloseReason reason, String detail) {
    failed.accept(new ProtocolViolation(reason, detail));
  }

  /** The session has ended: nobody waits for answers any more, nothing may be written. */
  void end() {
    ended = true;
    writer.discard();
  }

  boolean isEnded() {
    return ended;
  }

  /** Passes a store's answer on, on the event loop, whatever has become of the session. */
  <T extends @Nullable Object> void whenDone(CompletableFuture<T> future, Answered<T> then) {
    Answered.on(loop(), future, then);
  }

  /** Passes a store's answer on, on the event loop, unless the session has ended meanwhile. */
  <T extends @Nullable Object> void whileOpen(CompletableFuture<T> future, Answered<T> then) {
    whenDone(
        future,
        (value, error) -> {
          if (!ended) {
            then.with(value, error);
          }
        });
  }
}
