package io.fjordmq.broker.limits;

import io.fjordmq.api.plugin.SessionLimits;
import io.fjordmq.api.plugin.SessionLimits.Kind;
import io.fjordmq.inbox.AttachRequest;
import java.time.Duration;

/**
 * The configurable limits of a client's session.
 *
 * @param maxPacketBytes maximum size of a packet from a client, including its header; a larger
 *     packet ends the connection (MQTT 5: 0x95) before it is buffered; from 1,024 to 268,435,460
 * @param maxPayloadBytes maximum payload size of a publish; larger publishes are refused (MQTT 5:
 *     0x97), or acknowledged and dropped; 0 = limited only by the packet size
 * @param maxClientIdBytes maximum length of a client identifier; clients with longer ones are
 *     refused (0x85 / 0x02)
 * @param maxTopicBytes maximum length of a topic name or filter sent by a client
 * @param maxTopicLevels maximum number of levels in a topic name or filter sent by a client
 * @param readBytesPerSecond rate limit for packets from a client; once a client has used up one
 *     second's worth, the broker stops reading from it until the bucket refills; 0 = no limit
 * @param writeBytesPerSecond rate limit for packets to a client; messages above the limit are
 *     delayed; 0 = no limit
 * @param publishesPerSecond rate limit for publishes from a client, applied like {@code
 *     readBytesPerSecond}; 0 = no limit
 * @param connectTimeout time after which a connection without a complete CONNECT is closed
 * @param defaultKeepAliveSeconds keep alive for clients that request none; 0 = no keep alive
 * @param maxKeepAliveSeconds maximum keep alive for MQTT 5 clients; 0 = no limit
 * @param maxSessionExpirySeconds maximum session expiry interval
 * @param mqtt3SessionExpirySeconds session expiry interval for MQTT 3 clients with Clean Session 0
 * @param receiveMaximum maximum number of unacknowledged QoS 1 and 2 publishes from a client;
 *     exceeding it ends an MQTT 5 connection (0x93)
 * @param maxPendingPublishes maximum number of publishes from a client whose outcome is pending; at
 *     this limit, the broker stops reading from the client
 * @param maxPendingBytes like maxPendingPublishes, in payload bytes
 * @param bindClientIdTo the user to which a client identifier is bound while its session exists;
 *     other users are refused (0x85 / 0x02)
 * @param topicAliasMaximum maximum number of topic aliases that an MQTT 5 client may use; 0 = none
 * @param maxInflight maximum number of QoS 1 and 2 messages in flight to a client; the client may
 *     request fewer
 * @param outboundTopicAliases maximum number of topic aliases for messages to an MQTT 5 client that
 *     allows them; 0 = none
 * @param maxQueuedMessages maximum number of messages queued in memory for a client that reads too
 *     slowly; further messages are dropped
 * @param maxQueuedBytes like maxQueuedMessages, in payload bytes
 * @param dropOldest whether a full queue drops its oldest message instead of the new one
 * @param inboxBufferMessages maximum number of a persistent session's messages that are buffered in
 *     memory before they are sent; the others stay in the store
 * @param inboxBufferBytes like inboxBufferMessages, in payload bytes
 * @param maxSubscriptions maximum number of subscriptions per session; further ones are refused
 *     (0x97 / 0x80)
 * @param maxSubscriptionBytes maximum total size of a session's subscriptions: the bytes of each
 *     filter plus {@link io.fjordmq.inbox.InboxSubscription#BYTES_BESIDE_FILTER}; further
 *     subscriptions are refused (0x97 / 0x80)
 * @param maxPendingSubscribes maximum number of queued SUBSCRIBE and UNSUBSCRIBE packets; at this
 *     limit, the broker stops reading from the client
 * @param retainedPageMessages number of retained messages read at a time for a new subscription
 * @param retainedPageBytes like retainedPageMessages, in payload bytes
 */
public record SessionSettings(
    int maxPacketBytes,
    int maxPayloadBytes,
    int maxClientIdBytes,
    int maxTopicBytes,
    int maxTopicLevels,
    int readBytesPerSecond,
    int writeBytesPerSecond,
    int publishesPerSecond,
    Duration connectTimeout,
    int defaultKeepAliveSeconds,
    int maxKeepAliveSeconds,
    long maxSessionExpirySeconds,
    long mqtt3SessionExpirySeconds,
    int receiveMaximum,
    int maxPendingPublishes,
    int maxPendingBytes,
    ClientIdBinding bindClientIdTo,
    int topicAliasMaximum,
    int maxInflight,
    int outboundTopicAliases,
    int maxQueuedMessages,
    int maxQueuedBytes,
    boolean dropOldest,
    int inboxBufferMessages,
    int inboxBufferBytes,
    int maxSubscriptions,
    int maxSubscriptionBytes,
    int maxPendingSubscribes,
    int retainedPageMessages,
    int retainedPageBytes) {

  /**
   * The maximum size of an MQTT packet: a remaining length of 268,435,455 plus a fixed header of
   * five bytes.
   */
  public static final int MAX_PACKET_BYTES = 268_435_460;

  /**
   * @throws IllegalArgumentException if a value is out of range; the message begins with the name
   *     of the setting
   */
  public SessionSettings {
    requireWithin("maxPacketBytes", maxPacketBytes, 1_024, MAX_PACKET_BYTES);
    requireWithin("maxPayloadBytes", maxPayloadBytes, 0, MAX_PACKET_BYTES);
    requireWithin("maxClientIdBytes", maxClientIdBytes, 23, 65_535);
    requireWithin("maxTopicBytes", maxTopicBytes, 1, 65_535);
    requireWithin("maxTopicLevels", maxTopicLevels, 1, 65_536);
    requireWithin("readBytesPerSecond", readBytesPerSecond, 0, Integer.MAX_VALUE);
    requireWithin("writeBytesPerSecond", writeBytesPerSecond, 0, Integer.MAX_VALUE);
    requireWithin("publishesPerSecond", publishesPerSecond, 0, Integer.MAX_VALUE);
    requireWithin("connectTimeout (ms)", connectTimeout.toMillis(), 100, 3_600_000);
    requireWithin("defaultKeepAliveSeconds", defaultKeepAliveSeconds, 0, 65_535);
    requireWithin("maxKeepAliveSeconds", maxKeepAliveSeconds, 0, 65_535);
    requireWithin(
        "maxSessionExpirySeconds", maxSessionExpirySeconds, 0, AttachRequest.NEVER_EXPIRES);
    requireWithin(
        "mqtt3SessionExpirySeconds", mqtt3SessionExpirySeconds, 1, AttachRequest.NEVER_EXPIRES);
    requireWithin("receiveMaximum", receiveMaximum, 1, 65_535);
    requireWithin("maxPendingPublishes", maxPendingPublishes, 1, 1_000_000);
    requireWithin("maxPendingBytes", maxPendingBytes, 1_024, Integer.MAX_VALUE);
    requireWithin("topicAliasMaximum", topicAliasMaximum, 0, 65_535);
    requireWithin("maxInflight", maxInflight, 1, 65_534);
    requireWithin("outboundTopicAliases", outboundTopicAliases, 0, 65_535);
    requireWithin("maxQueuedMessages", maxQueuedMessages, 1, Integer.MAX_VALUE);
    requireWithin("maxQueuedBytes", maxQueuedBytes, 1_024, Integer.MAX_VALUE);
    requireWithin("inboxBufferMessages", inboxBufferMessages, 1, 65_535);
    requireWithin("inboxBufferBytes", inboxBufferBytes, 1_024, Integer.MAX_VALUE);
    requireWithin("maxSubscriptions", maxSubscriptions, 1, Integer.MAX_VALUE);
    requireWithin("maxSubscriptionBytes", maxSubscriptionBytes, 1_024, Integer.MAX_VALUE);
    requireWithin("maxPendingSubscribes", maxPendingSubscribes, 1, 65_535);
    requireWithin("retainedPageMessages", retainedPageMessages, 1, 65_535);
    requireWithin("retainedPageBytes", retainedPageBytes, 1_024, Integer.MAX_VALUE);
  }

  /**
   * Returns these settings with the limits of others that can change during a connection: those
   * that were not announced in the CONNACK and do not size a window or buffer.
   */
  public SessionSettings forOpenConnection(SessionSettings changed) {
    return new SessionSettings(
        maxPacketBytes,
        changed.maxPayloadBytes,
        maxClientIdBytes,
        maxTopicBytes,
        maxTopicLevels,
        changed.readBytesPerSecond,
        changed.writeBytesPerSecond,
        changed.publishesPerSecond,
        connectTimeout,
        defaultKeepAliveSeconds,
        maxKeepAliveSeconds,
        maxSessionExpirySeconds,
        mqtt3SessionExpirySeconds,
        receiveMaximum,
        changed.maxPendingPublishes,
        changed.maxPendingBytes,
        bindClientIdTo,
        topicAliasMaximum,
        maxInflight,
        outboundTopicAliases,
        changed.maxQueuedMessages,
        changed.maxQueuedBytes,
        changed.dropOldest,
        inboxBufferMessages,
        inboxBufferBytes,
        maxSubscriptions,
        maxSubscriptionBytes,
        maxPendingSubscribes,
        retainedPageMessages,
        retainedPageBytes);
  }

  /** Returns these settings with the limits that an authenticator has set for one client. */
  public SessionSettings withOwn(SessionLimits own) {
    if (own.isEmpty()) {
      return this;
    }
    return new SessionSettings(
        maxPacketBytes,
        (int) own(own, Kind.MAX_PAYLOAD_BYTES, maxPayloadBytes, 0, MAX_PACKET_BYTES),
        maxClientIdBytes,
        maxTopicBytes,
        maxTopicLevels,
        (int) own(own, Kind.READ_BYTES_PER_SECOND, readBytesPerSecond, 0, Integer.MAX_VALUE),
        (int) own(own, Kind.WRITE_BYTES_PER_SECOND, writeBytesPerSecond, 0, Integer.MAX_VALUE),
        (int) own(own, Kind.PUBLISHES_PER_SECOND, publishesPerSecond, 0, Integer.MAX_VALUE),
        connectTimeout,
        defaultKeepAliveSeconds,
        (int) own(own, Kind.MAX_KEEP_ALIVE_SECONDS, maxKeepAliveSeconds, 0, 65_535),
        own(
            own,
            Kind.MAX_SESSION_EXPIRY_SECONDS,
            maxSessionExpirySeconds,
            0,
            AttachRequest.NEVER_EXPIRES),
        mqtt3SessionExpirySeconds,
        receiveMaximum,
        maxPendingPublishes,
        maxPendingBytes,
        bindClientIdTo,
        topicAliasMaximum,
        (int) own(own, Kind.MAX_INFLIGHT, maxInflight, 1, 65_534),
        outboundTopicAliases,
        (int) own(own, Kind.MAX_QUEUED_MESSAGES, maxQueuedMessages, 1, Integer.MAX_VALUE),
        (int) own(own, Kind.MAX_QUEUED_BYTES, maxQueuedBytes, 1_024, Integer.MAX_VALUE),
        dropOldest,
        inboxBufferMessages,
        inboxBufferBytes,
        (int) own(own, Kind.MAX_SUBSCRIPTIONS, maxSubscriptions, 1, Integer.MAX_VALUE),
        maxSubscriptionBytes,
        maxPendingSubscribes,
        retainedPageMessages,
        retainedPageBytes);
  }

  /** Returns the client's own value, moved into the allowed range, or the given one. */
  private static long own(SessionLimits own, Kind kind, long tenant, long min, long max) {
    Long value = own.values().get(kind);
    return value == null ? tenant : Math.max(min, Math.min(max, value));
  }

  private static void requireWithin(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be between " + min + " and " + max + ", not " + value);
    }
  }

  /** The default values. */
  public static SessionSettings defaults() {
    return new SessionSettings(
        1 << 20,
        0,
        1_024,
        65_535,
        128,
        512 << 10,
        512 << 10,
        0,
        Duration.ofSeconds(10),
        0,
        0,
        AttachRequest.NEVER_EXPIRES,
        AttachRequest.NEVER_EXPIRES,
        1_024,
        1_024,
        4 << 20,
        ClientIdBinding.NONE,
        32,
        256,
        32,
        1_000,
        1 << 20,
        false,
        256,
        256 << 10,
        10_000,
        8 << 20,
        16,
        100,
        256 << 10);
  }
}
