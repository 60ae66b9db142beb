package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Topic;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.PluginEvents;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.ConnectionTrace;
import io.fjordmq.broker.trace.MessageStep;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.retain.RetainStore;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.mqtt.MqttMessageType;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The state shared by the parts of a session, such as the channel, dialect, packet writer and read
 * gate.
 */
final class Connection
    implements Throttle.Client,
        FilterReader.Client,
        OutboundPublishes.Client,
        PublishBackPressure.Client,
        PublishPermission.Client,
        Reauthentication.Client,
        ReceivedQos2.Client,
        RetainedReplay.Client,
        SessionHistory.Client,
        SlicedLoop.Client,
        SubscribeQueue.Client {
  /** The session that the connection belongs to. Called on the event loop. */
  interface Owner {
    /** Ends the session and its connection. */
    void end(CloseReason reason, String detail);

    /** Called when the write rate allows messages to the client again. */
    void onWritable();
  }

  private final Channel channel;
  private final SessionServices services;
  private final ConnectRequest request;
  private final ClientAccess access;
  private final String tenant;
  private final String clientId;
  private final Dialect dialect;
  private final PacketWriter writer;
  private final ReadSlices slices;
  private final PacketPause pause;
  private final Throttle throttle;
  private final SharedQuotas quotas;
  private SessionSettings settings; // changes on the event loop only
  private final Owner owner;
  private ConnectOrder connectOrder = ConnectOrder.NONE;
  private final StoreFailureLog storeFailures;
  private final TimeoutWheel wheel;
  private final SessionHistory history;
  private @Nullable IdentityExpiry identityExpiry;
  private byte lastPacketType = (byte) MqttMessageType.CONNECT.value();
  private boolean hasOwnLimits;
  private boolean ended;
  private volatile @Nullable ConnectionTrace trace; // written on the event loop

  // Other threads read it; 0 while the session is not open.
  private volatile long connectedAtMillis;

  /**
   * @param wheel the timeout wheel of the channel's event loop
   */
  Connection(
      Channel channel,
      SessionServices services,
      ConnectRequest request,
      ClientAccess access,
      ReadSlices slices,
      SharedQuotas quotas,
      TimeoutWheel wheel,
      PausedClients pausedClients,
      StoreFailureLog storeFailures,
      Owner owner) {
    this.channel = channel;
    this.services = services;
    this.wheel = wheel;
    this.storeFailures = storeFailures;
    this.request = request;
    this.access = access;
    this.tenant = access.client().tenant();
    this.clientId = request.clientId();
    this.settings = services.tenants().of(tenant).session().withOwn(access.limits());
    this.dialect = Dialect.of(request, settings);
    this.slices = slices;
    this.pause = new PacketPause(channel.eventLoop(), slices.gate(), pausedClients);
    this.quotas = quotas;
    this.throttle = new Throttle(wheel, settings, this);
    throttle.setShared(quotas.publishRates(access.client()));
    this.writer = new PacketWriter(channel, throttle, services.observer());
    this.owner = owner;
    this.history = new SessionHistory(this);
  }

  @Override
  public SessionServices services() {
    return services;
  }

  /** The limits of the client's tenant. */
  @Override
  public SessionSettings settings() {
    return settings;
  }

  /** Applies changed limits of the client's tenant. Called on the event loop. */
  void applyLimits() {
    settings =
        settings.forOpenConnection(
            services.tenants().of(tenant).session().withOwn(access.limits()));
    throttle.setRates(settings);
    throttle.setShared(quotas.publishRates(access.client()));
  }

  @Override
  public SessionObserver observer() {
    return services.observer();
  }

  @Override
  public ConnectRequest request() {
    return request;
  }

  @Override
  public String tenant() {
    return tenant;
  }

  @Override
  public StoreFailureLog storeFailures() {
    return storeFailures;
  }

  /** The client's access rights. */
  @Override
  public ClientAccess access() {
    return access;
  }

  @Override
  public Security security() {
    return services.security();
  }

  @Override
  public InboxStore inboxes() {
    return services.inboxes();
  }

  @Override
  public InboxLimits inboxLimits() {
    return services.tenants().of(tenant).inbox();
  }

  @Override
  public RetainStore retained() {
    return services.retained();
  }

  @Override
  public CompletableFuture<Void> whenRetainedStored() {
    return services.retainedBarrier().await();
  }

  @Override
  public boolean hasFreeDiskSpace() {
    return services.hasFreeDiskSpace().getAsBoolean();
  }

  @Override
  public @Nullable MessageTracer messageTracer() {
    return services.messageTracer();
  }

  /** Sends client events to plugins. */
  PluginEvents events() {
    return services.security().events();
  }

  @Override
  public String clientId() {
    return clientId;
  }

  @Override
  public Dialect dialect() {
    return dialect;
  }

  @Override
  public PacketWriter writer() {
    return writer;
  }

  @Override
  public ReadGate gate() {
    return slices.gate();
  }

  /** The time slices in which the client's packets are handled. */
  @Override
  public ReadSlices slices() {
    return slices;
  }

  /** Pauses the handling of the client's packets. */
  @Override
  public PacketPause pause() {
    return pause;
  }

  Throttle throttle() {
    return throttle;
  }

  @Override
  public long sharedClockMillis() {
    return services.tenants().nowMillis();
  }

  @Override
  public void recordLimitReached(Limit limit) {
    services.tenants().recordLimitReached(limit, tenant);
  }

  @Override
  public Channel channel() {
    return channel;
  }

  @Override
  public Peer peer() {
    return Peer.of(channel);
  }

  @Override
  public EventLoop loop() {
    return channel.eventLoop();
  }

  @Override
  public long nowMillis() {
    return services.clock().millis();
  }

  /**
   * Sets when the client got its CONNACK, in epoch milliseconds; 0 when it is no longer connected.
   */
  void setConnectedAtMillis(long millis) {
    connectedAtMillis = millis;
  }

  /** When the client got its CONNACK; 0 while it is not connected. Can be called on any thread. */
  @Override
  public long connectedAtMillis() {
    return connectedAtMillis;
  }

  /** Sets the connect order. Called before the client can publish. */
  void setConnectOrder(ConnectOrder order) {
    connectOrder = order;
  }

  /** Publishes a message from the client. */
  void publish(Message message, @Nullable PublishId id, PublishListener listener) {
    if (trace != null || services.tracer().isTracingTopics()) {
      tracePublish(message);
    }
    int visited = services.publishRouter().publish(tenant, message, connectOrder, id, listener);
    if (visited > 0) {
      slices.slice().addNodes(visited);
      throttle.chargeMatch(visited);
    }
  }

  private void tracePublish(Message message) {
    services.tracer().onMessage(MessageStep.RECEIVED, tenant, clientId(), peer(), message);
    ConnectionTrace current = trace;
    if (current != null) {
      current.onRouted(message, services.publishRouter().receivers(tenant, message));
    }
  }

  @Override
  public void onSent(Delivery delivery, int packetIdentifier, boolean duplicate) {
    Tracer tracer = services.tracer();
    if (tracer.isTracingTopics()) {
      tracer.onMessage(
          new MessageStep.Sent(
              delivery.qos().level(), delivery.retain(), packetIdentifier, duplicate),
          tenant,
          clientId(),
          peer(),
          delivery.message());
    }
  }

  @Override
  public void onQueued(Delivery delivery) {
    ConnectionTrace current = trace;
    if (current != null) {
      current.onQueued(delivery.message());
    }
    services.tracer().onMessage(MessageStep.QUEUED, tenant, clientId(), peer(), delivery.message());
  }

  /** Starts or ends the tracing of this connection, as the current traces require. */
  void updateTrace() {
    trace = services.tracer().update(channel, tenant, clientId(), request.protocolLevel());
  }

  /** Whether {@link #updateTrace} has something to do. Can be called on any thread. */
  boolean mustUpdateTrace() {
    return trace != null || services.tracer().matches(channel, tenant, clientId());
  }

  /** Ends the session. Must be called on the event loop. */
  @Override
  public void fail(CloseReason reason, String detail) {
    owner.end(reason, detail);
  }

  /** {@inheritDoc} Also called when the session opens. */
  @Override
  public void onIdentityChanged() {
    if (identityExpiry == null && access.expiresAt() != null) {
      identityExpiry = new IdentityExpiry(wheel, this::nowMillis, this::fail);
    }
    if (identityExpiry != null) {
      identityExpiry.set(access.expiresAt());
    }
    if (hasOwnLimits || !access.limits().isEmpty()) {
      hasOwnLimits = !access.limits().isEmpty();
      applyLimits();
    }
  }

  @Override
  public boolean isBanned(ClientInfo identity) {
    return services.bans().find(identity) != null;
  }

  @Override
  public boolean isOverloaded() {
    return services.overload().isOverloaded();
  }

  /** Counts dropped messages to the client, and records them in its history. */
  @Override
  public void recordDropped(Drop drop) {
    countDropped(drop.reason(), drop.count());
    history.recordDropped(drop);
    Topic topic = drop.topic();
    if (topic != null) {
      topicTraffic().onDropped(tenant, topic, drop.count());
    }
  }

  @Override
  public TopicTraffic topicTraffic() {
    return services.topicTraffic();
  }

  @Override
  public SlowSubscriptions slowSubscriptions() {
    return services.slowSubscriptions();
  }

  /** Counts dropped messages. */
  void countDropped(DropReason reason, long count) {
    observer().onDropped(reason, count);
    events().dropped(access.client(), reason.label(), count);
  }

  void setLastPacketType(int type) {
    lastPacketType = (byte) type;
  }

  @Override
  public int lastPacketType() {
    return lastPacketType;
  }

  /** Records events of the client. */
  SessionHistory history() {
    return history;
  }

  @Override
  public void recordThrottled(@Nullable Limit limit) {
    history.recordThrottled(limit);
  }

  @Override
  public void recordThrottleEnded(@Nullable Limit limit) {
    history.recordThrottleEnded(limit);
  }

  /** Marks the session as ended. From now on, results are ignored and nothing is written. */
  @Override
  public void onWritable() {
    owner.onWritable();
  }

  void end() {
    ended = true;
    if (identityExpiry != null) {
      identityExpiry.cancel();
    }
    writer.discard();
    pause.end();
  }

  @Override
  public boolean isEnded() {
    return ended;
  }

  /** Passes a store's result to the callback on the event loop, even if the session has ended. */
  @Override
  public <T extends @Nullable Object> void whenDone(
      CompletableFuture<T> future, ResultCallback<T> then) {
    ResultCallback.invokeOn(loop(), future, then);
  }

  /** Passes a store's result to the callback on the event loop, unless the session has ended. */
  @Override
  public <T extends @Nullable Object> void whenDoneUnlessEnded(
      CompletableFuture<T> future, ResultCallback<T> then) {
    whenDone(
        future,
        (value, error) -> {
          if (!ended) {
            then.onResult(value, error);
          }
        });
  }
}
