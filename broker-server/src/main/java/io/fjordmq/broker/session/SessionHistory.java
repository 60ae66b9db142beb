package io.fjordmq.broker.session;

import io.fjordmq.api.Topic;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.events.ClientEvent;
import io.fjordmq.broker.events.ConnectEvent;
import io.fjordmq.broker.events.Connected;
import io.fjordmq.broker.events.Denial;
import io.fjordmq.broker.events.Disconnected;
import io.fjordmq.broker.events.Dropped;
import io.fjordmq.broker.events.PublishDenied;
import io.fjordmq.broker.events.Refused;
import io.fjordmq.broker.events.SubscribeRefused;
import io.fjordmq.broker.events.Subscribed;
import io.fjordmq.broker.events.TakenOver;
import io.fjordmq.broker.events.ThrottleEnded;
import io.fjordmq.broker.events.Throttled;
import io.fjordmq.broker.events.Unsubscribed;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.security.ClientAccess;
import io.netty.handler.codec.mqtt.MqttMessageType;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Records what happens to one client. Used on the event loop, except for {@link
 * #recordSubscribeRefused}, which can be called on any thread, and the methods of {@link
 * ConnectEvent}, which the log calls with a lock.
 */
final class SessionHistory implements ConnectEvent {
  /** The client whose history is recorded. */
  interface Client {
    SessionServices services();

    SessionSettings settings();

    ConnectRequest request();

    ClientAccess access();

    Peer peer();

    String tenant();

    String clientId();

    /** The MQTT packet type of the last packet from the client. */
    int lastPacketType();
  }

  /** A session that has such a client. */
  interface Holder {
    Client connection();
  }

  private final Client client;
  private boolean sessionPresent; // set before the client has connected

  /** Guarded by the lock of the log. */
  private long keptAtMillis = NONE;

  SessionHistory(Client client) {
    this.client = client;
  }

  void recordConnected(boolean resumed) {
    sessionPresent = resumed;
    SessionServices services = client.services();
    services.history().recordConnected(client.tenant(), client.clientId(), this);
    services.tracer().onEvent(client.tenant(), client.clientId(), client.peer(), event());
  }

  @Override
  public Connected event() {
    Peer peer = client.peer();
    return new Connected(
        peer.displayName(),
        peer.listener(),
        client.access().client().userName(),
        client.request().protocolLevel(),
        sessionPresent);
  }

  @Override
  public void keep(long atMillis) {
    keptAtMillis = atMillis;
  }

  @Override
  public long keptAtMillis() {
    return keptAtMillis;
  }

  @Override
  public void release() {
    keptAtMillis = NONE;
  }

  /** Records that the connection ended before the CONNACK. */
  void recordRefused(CloseReason reason, String detail) {
    Peer peer = client.peer();
    record(
        new Refused(
            peer.displayName(),
            peer.listener(),
            client.access().client().userName(),
            reason.label(),
            reason.reasonCode(),
            Denial.of(detail)));
  }

  /** Records that the connection ended after the CONNACK. */
  void recordDisconnected(CloseReason reason, String detail) {
    String lastPacket = MqttMessageType.valueOf(client.lastPacketType()).name();
    if (reason == CloseReason.SESSION_TAKEN_OVER) {
      record(takenOver(lastPacket));
      return;
    }
    int keepAlive = client.request().keepAliveSeconds();
    String why =
        reason == CloseReason.KEEP_ALIVE_TIMEOUT
            ? "keep alive expired after %s s (keep alive %d s)"
                .formatted(oneAndAHalf(keepAlive), keepAlive)
            : detail;
    record(new Disconnected(reason.label(), reason.reasonCode(), why, lastPacket));
  }

  private static String oneAndAHalf(int seconds) {
    int tenths = seconds * 15;
    return tenths % 10 == 0
        ? Integer.toString(tenths / 10)
        : String.format(Locale.ROOT, "%.1f", tenths / 10.0);
  }

  /** The client's newest connection took over; it is on another node if it is not known here. */
  private TakenOver takenOver(String lastPacket) {
    SessionServices services = client.services();
    LiveSession newest = services.registry().find(client.tenant(), client.clientId());
    return newest instanceof Holder other && other.connection() != client
        ? new TakenOver(services.self().id(), other.connection().peer().displayName(), lastPacket)
        : new TakenOver("", "", lastPacket);
  }

  void recordSubscribed(String filter, int qos) {
    record(new Subscribed(filter, qos));
  }

  void recordUnsubscribed(String filter) {
    record(new Unsubscribed(filter));
  }

  /**
   * Records that a filter was refused. Can be called on any thread.
   *
   * @param limit the limit that was reached; null for other reasons
   */
  void recordSubscribeRefused(String filter, int reasonCode, Denial denial, @Nullable Limit limit) {
    String reason =
        switch (reasonCode) {
          case 0x83 -> "implementation_specific_error";
          case 0x87 -> "not_authorized";
          case 0x97 -> "quota_exceeded";
          default -> "unspecified_error";
        };
    record(
        new SubscribeRefused(
            filter, reason, reasonCode, denial, limit == null ? "" : limit.key(), value(limit)));
  }

  void recordPublishDenied(Topic topic, Denial denial) {
    record(new PublishDenied(topic.name(), denial));
  }

  /**
   * Records that a publish of the client was refused or dropped before it was routed.
   *
   * @param limit the limit that was reached; null for other reasons
   */
  void recordPublishDropped(DropReason reason, Topic topic, @Nullable Limit limit) {
    record(
        Dropped.fromClient(
            reason.label(), topic.name(), limit == null ? "" : limit.key(), value(limit)));
  }

  /** Records the outcome of a publish of the client if it did not reach all subscribers. */
  void recordOutcome(PublishOutcome outcome, Topic topic) {
    switch (outcome) {
      case QUOTA_EXCEEDED, LOW_DISK_SPACE, NODE_CONGESTED ->
          record(Dropped.fromClient(outcome.name().toLowerCase(Locale.ROOT), topic.name(), "", -1));
      case ACCEPTED, NO_MATCHING_SUBSCRIBERS, NOT_SERVING, NOT_DURABLE -> {
        // nothing was dropped, or the connection ends so that the client resends the message
      }
    }
  }

  void recordDropped(Drop drop) {
    Topic topic = drop.topic();
    Limit limit = drop.limit();
    record(
        Dropped.toClient(
            drop.reason().label(),
            drop.count(),
            topic == null ? null : topic.name(),
            limit == null ? "" : limit.key(),
            value(limit)));
  }

  /** Records that the client is throttled; the limit is null if the node is overloaded. */
  void recordThrottled(@Nullable Limit limit) {
    record(
        new Throttled(limit == Limit.WRITE_RATE, limit == null ? "" : limit.key(), value(limit)));
  }

  void recordThrottleEnded(@Nullable Limit limit) {
    record(new ThrottleEnded(limit == Limit.WRITE_RATE, limit == null ? "" : limit.key()));
  }

  private void record(ClientEvent event) {
    SessionServices services = client.services();
    services.history().record(client.tenant(), client.clientId(), this, event);
    services.tracer().onEvent(client.tenant(), client.clientId(), client.peer(), event);
  }

  private TenantLimits limits() {
    return client.services().tenants().of(client.tenant());
  }

  /** Returns the value of a limit; -1 if it is not a limit of sessions. */
  private long value(@Nullable Limit limit) {
    SessionSettings settings = client.settings();
    if (limit == null) {
      return -1;
    }
    return switch (limit) {
      case PAYLOAD_BYTES -> settings.maxPayloadBytes();
      case READ_RATE -> settings.readBytesPerSecond();
      case WRITE_RATE -> settings.writeBytesPerSecond();
      case PUBLISH_RATE -> settings.publishesPerSecond();
      case TENANT_PUBLISH_RATE -> limits().tenant().publishesPerSecond();
      case USER_PUBLISH_RATE -> limits().user().publishesPerSecond();
      case ADDRESS_PUBLISH_RATE -> client.services().tenants().addressLimits().publishesPerSecond();
      case SUBSCRIPTIONS -> settings.maxSubscriptions();
      case SUBSCRIPTION_BYTES -> settings.maxSubscriptionBytes();
      case QUEUED_MESSAGES -> settings.maxQueuedMessages();
      case QUEUED_BYTES -> settings.maxQueuedBytes();
      default -> -1;
    };
  }
}
