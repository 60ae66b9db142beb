package io.fjordmq.broker.rest;

import io.fjordmq.broker.query.ClientConnection;
import io.fjordmq.broker.query.ClientRow;
import io.fjordmq.broker.query.ClientRow.Session;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client or offline session. What does not apply, or is not known, is null. */
record ClientJson(
    @Field("Client identifier") String clientid,
    @Field("Tenant of the client") String tenant,
    @Field(
            "User name; absent if anonymous, or if the client is offline and its session belongs to"
                + " no user")
        @Nullable String username,
    @Field("Whether the client is connected") boolean connected,
    @Field("State of the connection: connected or disconnected") String connState,
    @Field("Node that the client is connected to") @Nullable String node,
    @Field("IP address of the client") @Nullable String ipAddress,
    @Field("TCP port of the client") @Nullable Integer port,
    @Field("Listener that the client is connected to") @Nullable String listener,
    @Field("Whether the connection uses TLS") @Nullable Boolean encrypted,
    @Field("Name of the protocol: MQTT, or MQIsdp for MQTT 3.1") @Nullable String protoName,
    @Field("Protocol level: 3, 4 or 5") @Nullable Integer protoVer,
    @Field("Keep alive in seconds; 0 for none") @Nullable Integer keepalive,
    @Field("Clean Start, or Clean Session in MQTT 3") @Nullable Boolean cleanStart,
    @Field("Session expiry interval in seconds; 0 if the session ends with the connection")
        long expiryInterval,
    @Field("Whether the session outlives the connection") boolean isPersistent,
    @Field("When the session was created") @Nullable Instant createdAt,
    @Field("When the client connected") @Nullable Instant connectedAt,
    @Field("When the client disconnected; absent if the session never expires")
        @Nullable Instant disconnectedAt,
    @Field("When the session of an offline client expires; absent if it never does")
        @Nullable Instant expiresAt,
    @Field("Whether the client has a will that has not been published") boolean hasWill,
    @Field("When the will of an offline client is published") @Nullable Instant willDueAt,
    @Field("Number of subscriptions") @Nullable Long subscriptionsCnt,
    @Field("Maximum number of subscriptions") @Nullable Long subscriptionsMax,
    @Field("Number of QoS 1 and 2 messages that the client has not acknowledged")
        @Nullable Long inflightCnt,
    @Field("Upper limit of inflight_cnt") @Nullable Long inflightMax,
    @Field("Number of messages waiting to be sent") @Nullable Long mqueueLen,
    @Field("Upper limit of mqueue_len") @Nullable Long mqueueMax,
    @Field("Number of QoS 2 messages from the client that are awaiting PUBREL")
        @Nullable Long awaitingRelCnt,
    @Field("Number of stored messages of a persistent session, including those in flight")
        @Nullable Long inboxMessages,
    @Field("Size of these messages in bytes") @Nullable Long inboxBytes,
    @Field("Upper limit of inbox_messages") @Nullable Long inboxMaxMessages,
    @Field("Upper limit of inbox_bytes") @Nullable Long inboxMaxBytes,
    @Field(
            "What currently slows the client down: configuration keys of limits, or overload, "
                + "lease, authorization, client not reading")
        @Nullable List<String> heldBackBy) {

  static ClientJson of(ClientRow row) {
    @Nullable ClientConnection client = row.connection();
    @Nullable Session stored = row.session();
    boolean offline = !row.connected();
    return new ClientJson(
        row.clientId(),
        row.tenant(),
        client != null ? client.userName() : stored == null ? null : stored.userName(),
        row.connected(),
        row.connected() ? "connected" : "disconnected",
        row.node(),
        client == null || client.address().isEmpty() ? null : client.address(),
        client == null || client.port() == 0 ? null : client.port(),
        client == null ? null : client.listener(),
        client == null ? null : client.encrypted(),
        client == null ? null : client.protocolLevel() == 3 ? "MQIsdp" : "MQTT",
        client == null ? null : client.protocolLevel(),
        client == null ? null : client.keepAliveSeconds(),
        client == null ? null : client.cleanStart(),
        client != null ? client.expirySeconds() : stored == null ? 0 : stored.expirySeconds(),
        stored != null || (client != null && client.persistent()),
        time(row.createdAtMillis()),
        client == null ? null : time(client.connectedAtMillis()),
        offline && stored != null ? time(stored.disconnectedAtMillis()) : null,
        offline && stored != null ? time(stored.expiresAtMillis()) : null,
        stored != null ? stored.hasWill() : client != null && client.hasWill(),
        offline && stored != null ? time(stored.willDueAtMillis()) : null,
        client != null
            ? Long.valueOf(client.subscriptions())
            : stored == null ? null : stored.subscriptions(),
        client == null ? null : (long) client.maxSubscriptions(),
        client == null ? null : (long) client.inflight(),
        client == null ? null : (long) client.maxInflight(),
        waiting(client, stored),
        stored != null
            ? Long.valueOf(stored.maxQueued())
            : client == null ? null : (long) client.maxQueued(),
        client == null ? null : (long) client.awaitingPubRel(),
        stored == null ? null : stored.queued(),
        stored == null ? null : stored.queuedBytes(),
        stored == null ? null : stored.maxQueued(),
        stored == null ? null : stored.maxQueuedBytes(),
        client == null ? null : client.heldBackBy());
  }

  /**
   * Counts the messages waiting to be sent. The inbox of a connected client also holds messages in
   * flight, apart from those that wait for PUBCOMP.
   */
  private static @Nullable Long waiting(
      @Nullable ClientConnection client, @Nullable Session stored) {
    if (stored == null) {
      return client == null ? null : (long) client.queued();
    }
    if (client == null) {
      return stored.queued();
    }
    long sent = client.inflight() - stored.awaitingPubComp();
    return Math.max(0, stored.queued() - Math.max(0, sent)) + client.queued();
  }

  private static @Nullable Instant time(long millis) {
    return millis <= 0 ? null : Instant.ofEpochMilli(millis);
  }
}
