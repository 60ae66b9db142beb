package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.PluginEvents;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.PublishId;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
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
  private final ReadSlices slices;
  private final Throttle throttle;
  private final SessionSettings settings;
  private final Consumer<ProtocolViolation> failed;
  private Runnable resumed = () -> {};
  private ConnectOrder connectOrder = ConnectOrder.NONE;
  private final PausedClients holding;
  private final List<Runnable> whenServed = new ArrayList<>(0);
  private int undecided;
  private int betweenSlices;
  private boolean held;
  private boolean resuming;
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
      ReadSlices slices,
      TimeoutWheel wheel,
      PausedClients holding,
      Consumer<ProtocolViolation> failed,
      Runnable mayWriteAgain) {
    this.channel = channel;
    this.services = services;
    this.request = request;
    this.access = access;
    this.tenant = access.client().tenant();
    this.settings = services.tenants().of(tenant).session();
    this.dialect = Dialect.of(request, settings);
    this.slices = slices;
    this.throttle = new Throttle(wheel, this, mayWriteAgain);
    this.writer = new PacketWriter(channel, throttle, services.observer());
    this.holding = holding;
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
    return slices.gate();
  }

  /** The slices in which its packets are handled. */
  ReadSlices slices() {
    return slices;
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
  void claimed(ConnectOrder place) {
    connectOrder = place;
  }

  /** Publishes what the client has sent. */
  void publish(Message message, @Nullable PublishId id, PublishListener listener) {
    int visited = services.publishRouter().publish(tenant, message, connectOrder, id, listener);
    if (visited > 0) {
      slices.slice().visited(visited);
      throttle.matched(visited);
    }
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
    undecided++;
    gate().close(ReadGate.PAUSED);
  }

  /**
   * What the client has sent and still sends waits until {@link #resumeAfterSlices}, because the
   * rest of a large packet before it continues in another slice.
   */
  void pauseBetweenSlices() {
    betweenSlices++;
    gate().close(ReadGate.PAUSED);
  }

  /**
   * Whether what the client sends has to wait: something before it is not decided or not complete,
   * or this node has no valid lease.
   */
  boolean mustWait() {
    return isPaused() || !mayAct();
  }

  private boolean isPaused() {
    return undecided + betweenSlices > 0;
  }

  /** Whether it waits for nothing but its next slices. */
  boolean isBetweenSlices() {
    return betweenSlices > 0 && undecided == 0 && mayAct();
  }

  /** Whether this node may act for the client; if not, the client is held until it may. */
  boolean mayAct() {
    if (!held && !ended && !holding.mayServe()) {
      held = true;
      gate().close(ReadGate.LEASE);
      holding.add(this);
    }
    return !held;
  }

  /** Runs it now, or once this node has a valid lease again; never if the session ends first. */
  void whenServed(Runnable action) {
    if (mayAct()) {
      action.run();
    } else {
      whenServed.add(action);
    }
  }

  /** Continues what waited for the lease, which has been renewed. */
  void release() {
    held = false;
    if (ended) {
      return;
    }
    List<Runnable> waiting = List.copyOf(whenServed);
    whenServed.clear();
    waiting.forEach(this::whenServed);
    continueReading();
  }

  /** A decision that this connection waited for has been made. */
  void resume() {
    undecided--;
    continueReading();
  }

  /** The large packet is complete. */
  void resumeAfterSlices() {
    betweenSlices--;
    continueReading();
  }

  private void continueReading() {
    if (resuming) {
      return; // called from its own loop, which goes on: no second one on top of it
    }
    resuming = true;
    try {
      resumed.run();
    } finally {
      resuming = false;
    }
    if (!isPaused()) {
      gate().open(ReadGate.PAUSED);
    }
    if (!held) {
      gate().open(ReadGate.LEASE);
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
    holding.remove(this);
    writer.discard();
    if (held) {
      held = false;
      loop().execute(resumed); // releases the packets that waited for the lease
    }
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
