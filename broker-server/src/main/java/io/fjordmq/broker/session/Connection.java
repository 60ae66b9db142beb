package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.PluginEvents;
import io.fjordmq.inbox.Claim;
import io.fjordmq.inbox.PublishId;
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
  private final ClientAccess access;
  private final String tenant;
  private final Dialect dialect;
  private final PacketWriter writer;
  private final ReadGate gate;
  private final Throttle throttle;
  private final SessionSettings settings;
  private final Consumer<ProtocolViolation> failed;
  private Runnable resumed = () -> {};
  private Claim claim = Claim.NONE;
  private boolean paused;
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
      ClientAccess access,
      ReadGate gate,
      TimeoutWheel wheel,
      Consumer<ProtocolViolation> failed,
      Runnable mayWriteAgain) {
    this.channel = channel;
    this.services = services;
    this.request = request;
    this.access = access;
    this.tenant = access.client().tenant();
    this.settings = services.tenants().of(tenant).session();
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

  /** What the client may do. */
  ClientAccess access() {
    return access;
  }

  /** Tells plugins what happens to the client. */
  PluginEvents events() {
    return services.security().events();
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

  /** The place of its CONNECT is known: before anything is published. */
  void claimed(Claim place) {
    claim = place;
  }

  /** Publishes what the client has sent. */
  void publish(Message message, @Nullable PublishId id, PublishListener listener) {
    services.publisher().publish(tenant, message, claim, id, listener);
  }

  /** Ends the session for a reason. On the event loop. */
  void fail(CloseReason reason, String detail) {
    failed.accept(new ProtocolViolation(reason, detail));
  }

  /**
   * What the client has sent and still sends waits until {@link #resume}, because something that
   * was before it is not decided.
   */
  void pause() {
    paused = true;
    gate.close(ReadGate.AUTHORIZATION);
  }

  boolean isPaused() {
    return paused;
  }

  /** What waited is worked off now. */
  void resume() {
    paused = false;
    resumed.run();
    if (!paused) {
      gate.open(ReadGate.AUTHORIZATION);
    }
  }

  /** Who works it off. */
  void onResume(Runnable then) {
    resumed = then;
  }

  /** Counts messages that did not reach their receiver. */
  void dropped(DropReason reason, long count) {
    observer().dropped(reason, count);
    events().dropped(access.client(), reason.label(), count);
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
