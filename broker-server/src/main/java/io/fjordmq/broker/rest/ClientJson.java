package io.fjordmq.broker.rest;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client or offline session, as the API describes it and {@link ClientRowWriter} writes it.
 * Fields that do not apply or are unknown are absent.
 */
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
        @Nullable List<String> heldBackBy) {}
