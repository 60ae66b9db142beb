package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
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
  private final Throttle throttle;
  private final SessionSettings settings;
  private final Consumer<ProtocolViolation> failed;
  private boolean ended;

  /**
   * @param wheel of the channel's event loop
   * @param failed ends the session; called on the event loop
   * @param mayWriteAgain messages for the client need not wait for its rate any more
   */
  Connection(
      Channel channel,
      SessionServices services,
      ConnectRequest request,
      String tenant,
      ReadGate gate,
      TimeoutWheel wheel,
      Consumer<ProtocolViolation> failed,
      Runnable mayWriteAgain) {
    this.channel = channel;
    this.services = services;
    this.settings = services.tenants().of(tenant).session();
    this.request = request;
    this.tenant = tenant;
    this.dialect = Dialect.of(request, settings);
    this.gate = gate;
    this.throttle = new Throttle(wheel, this, mayWriteAgain);
    this.writer = new PacketWriter(channel, throttle, services.observer());
    this.failed = failed;
  }

  SessionServices services() {
    return services;
  }

  /** The limits of its tenant. */
  SessionSettings settings() {
    return settings;
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

  Throttle throttle() {
    return throttle;
  }

  /** Counts that the client has reached a limit. */
  void reached(Limit limit) {
    services.tenants().reached(limit, tenant);
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
