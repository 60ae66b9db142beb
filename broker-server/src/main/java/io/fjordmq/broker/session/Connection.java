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

/** The state that the parts of a session share: channel, dialect, writer and read gate. */
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
  private final PausedClients pausedClients;
  private final List<Runnable> whenServed = new ArrayList<>(0);
  private int pendingAuthorizations;
  private int incompletePackets;
  private boolean waitingForLease;
  private boolean resuming;
  private boolean ended;

  /**
   * @param wheel of the channel's event loop
   * @param failed ends the session; called on the event loop
   * @param mayWriteAgain called when the write rate allows messages to the client again
   */
  Connection(
      Channel channel,
      SessionServices services,
      ConnectRequest request,
      ClientAccess access,
      ReadSlices slices,
      TimeoutWheel wheel,
      PausedClients pausedClients,
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
    this.pausedClients = pausedClients;
    this.failed = failed;
  }

  SessionServices services() {
    return services;
  }

  /** The limits of the client's tenant. */
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

  /** The client's permissions. */
  ClientAccess access() {
    return access;
  }

  /** Reports client events to plugins. */
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

  /** The time slices in which the client's packets are handled. */
  ReadSlices slices() {
    return slices;
  }

  Throttle throttle() {
    return throttle;
  }

  /** Counts that the client reached a limit. */
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

  /** Sets the connect order of the CONNECT. Called before the client can publish. */
  void setConnectOrder(ConnectOrder order) {
    connectOrder = order;
  }

  /** Publishes a message of the client. */
  void publish(Message message, @Nullable PublishId id, PublishListener listener) {
    int visited = services.publishRouter().publish(tenant, message, connectOrder, id, listener);
    if (visited > 0) {
      slices.slice().visited(visited);
      throttle.matched(visited);
    }
  }

  /** Ends the session. On the event loop. */
  void fail(CloseReason reason, String detail) {
    failed.accept(new ProtocolViolation(reason, detail));
  }

  /**
   * Suspends packet handling until {@link #resume}: the authorization of an earlier packet is
   * pending.
   */
  void pause() {
    pendingAuthorizations++;
    gate().close(ReadGate.PAUSED);
  }

  /**
   * Suspends packet handling until {@link #resumeAfterSlices}: a large packet continues in another
   * slice.
   */
  void pauseBetweenSlices() {
    incompletePackets++;
    gate().close(ReadGate.PAUSED);
  }

  /**
   * Whether the client's packets have to wait: an earlier packet is not authorized or not complete,
   * or this node has no valid lease.
   */
  boolean mustWait() {
    return isPaused() || !mayAct();
  }

  private boolean isPaused() {
    return pendingAuthorizations + incompletePackets > 0;
  }

  /** Whether packet handling is suspended only because a large packet needs more slices. */
  boolean isBetweenSlices() {
    return incompletePackets > 0 && pendingAuthorizations == 0 && mayAct();
  }

  /** Whether this node has a valid lease; if not, the client is paused until it has. */
  boolean mayAct() {
    if (!waitingForLease && !ended && !pausedClients.mayServe()) {
      waitingForLease = true;
      gate().close(ReadGate.LEASE);
      pausedClients.add(this);
    }
    return !waitingForLease;
  }

  /** Runs the action now or once this node has a valid lease; never if the session ends first. */
  void whenServed(Runnable action) {
    if (mayAct()) {
      action.run();
    } else {
      whenServed.add(action);
    }
  }

  /** Continues after the lease was renewed. */
  void release() {
    waitingForLease = false;
    if (ended) {
      return;
    }
    List<Runnable> waiting = List.copyOf(whenServed);
    whenServed.clear();
    waiting.forEach(this::whenServed);
    continueReading();
  }

  /** The pending authorization is complete. */
  void resume() {
    pendingAuthorizations--;
    continueReading();
  }

  /** The large packet is complete. */
  void resumeAfterSlices() {
    incompletePackets--;
    continueReading();
  }

  private void continueReading() {
    if (resuming) {
      return; // called by the loop that is running; it continues by itself
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
    if (!waitingForLease) {
      gate().open(ReadGate.LEASE);
    }
  }

  /** Sets the callback that handles the packets that were held back. */
  void onResume(Runnable then) {
    resumed = then;
  }

  /** Counts messages that were dropped. */
  void dropped(DropReason reason, long count) {
    observer().dropped(reason, count);
    events().dropped(access.client(), reason.label(), count);
  }

  /** The session has ended: results are ignored and nothing is written any more. */
  void end() {
    ended = true;
    pausedClients.remove(this);
    writer.discard();
    if (waitingForLease) {
      waitingForLease = false;
      loop().execute(resumed); // releases the packets that waited for the lease
    }
  }

  boolean isEnded() {
    return ended;
  }

  /** Passes a store's result to the callback on the event loop, even if the session has ended. */
  <T extends @Nullable Object> void whenDone(CompletableFuture<T> future, ResultCallback<T> then) {
    ResultCallback.on(loop(), future, then);
  }

  /** Passes a store's result to the callback on the event loop, unless the session has ended. */
  <T extends @Nullable Object> void whileOpen(CompletableFuture<T> future, ResultCallback<T> then) {
    whenDone(
        future,
        (value, error) -> {
          if (!ended) {
            then.onResult(value, error);
          }
        });
  }
}
