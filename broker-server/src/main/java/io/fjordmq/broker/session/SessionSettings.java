package io.fjordmq.broker.session;

import io.fjordmq.inbox.AttachRequest;
import java.time.Duration;

/**
 * The limits of a client's session. Every one of them is in the configuration file.
 *
 * @param maxPacketBytes largest packet a client may send, whole; larger ones end the connection
 *     (MQTT 5: 0x95) before they are buffered. 1,024 to 268,435,460
 * @param maxPayloadBytes largest payload of a publish; larger ones are refused (MQTT 5: 0x97), or
 *     acknowledged and dropped; 0 = what the packet holds
 * @param maxClientIdBytes longest client identifier; longer ones are refused (0x85 / 0x02)
 * @param maxTopicBytes longest topic name or filter of a client
 * @param maxTopicLevels most levels in a topic name or filter of a client
 * @param readBytesPerSecond of a client's packets; beyond a second's worth it is not read for a
 *     while; 0 = no limit
 * @param writeBytesPerSecond of packets to a client; beyond, messages for it wait; 0 = no limit
 * @param publishesPerSecond of a client; beyond a second's worth it is not read for a while; 0 = no
 *     limit
 * @param connectTimeout a connection without a complete CONNECT is closed after it
 * @param defaultKeepAliveSeconds for clients that ask for none; 0 = they may be silent for ever
 * @param maxKeepAliveSeconds what MQTT 5 clients get at most; 0 = what they ask for
 * @param maxSessionExpirySeconds what clients get at most
 * @param mqtt3SessionExpirySeconds of MQTT 3 clients with Clean Session 0
 * @param receiveMaximum unacknowledged QoS 1 and 2 publishes a client may have; more end an MQTT 5
 *     connection (0x93)
 * @param maxPendingPublishes publishes of a client that are not answered yet; at it the client is
 *     not read until they are
 * @param maxPendingBytes the same in bytes of payload
 * @param bindClientIdTo whom a client identifier belongs to while its session lasts; another user
 *     is refused (0x85 / 0x02)
 * @param topicAliasMaximum topic aliases an MQTT 5 client may use; 0 = none
 * @param maxInflight QoS 1 and 2 messages on the way to a client, if it does not ask for less
 * @param outboundTopicAliases topic aliases used towards an MQTT 5 client that allows them; 0 =
 *     none
 * @param maxQueuedMessages waiting in memory for a client that reads slower than it is sent to;
 *     more are dropped
 * @param maxQueuedBytes the same in bytes of payload
 * @param dropOldest when that queue is full: true drops its oldest message, false the new one
 * @param inboxBufferMessages of a persistent session kept in memory ahead of the client; the rest
 *     stays in the store until there is room
 * @param inboxBufferBytes the same in bytes of payload
 * @param maxSubscriptions of a session; more are refused (0x97 / 0x80)
 * @param maxSubscriptionBytes of their filters, {@link
 *     io.fjordmq.inbox.InboxSubscription#BYTES_BESIDE_FILTER} more for each; more are refused (0x97
 *     / 0x80)
 * @param maxPendingSubscribes SUBSCRIBE and UNSUBSCRIBE packets waiting for their turn; at it the
 *     client is not read
 * @param retainedPageMessages retained messages read at a time for a new subscription
 * @param retainedPageBytes the same in bytes of payload
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

  /** Largest packet of the protocol: remaining length 268,435,455 and five bytes before it. */
  public static final int LARGEST_PACKET = 268_435_460;

  /**
   * @throws IllegalArgumentException if a value is out of its range; the message names it
   */
  public SessionSettings {
    within("maxPacketBytes", maxPacketBytes, 1_024, LARGEST_PACKET);
    within("maxPayloadBytes", maxPayloadBytes, 0, LARGEST_PACKET);
    within("maxClientIdBytes", maxClientIdBytes, 23, 65_535);
    within("maxTopicBytes", maxTopicBytes, 1, 65_535);
    within("maxTopicLevels", maxTopicLevels, 1, 65_536);
    within("readBytesPerSecond", readBytesPerSecond, 0, Integer.MAX_VALUE);
    within("writeBytesPerSecond", writeBytesPerSecond, 0, Integer.MAX_VALUE);
    within("publishesPerSecond", publishesPerSecond, 0, Integer.MAX_VALUE);
    within("connectTimeout (ms)", connectTimeout.toMillis(), 100, 3_600_000);
    within("defaultKeepAliveSeconds", defaultKeepAliveSeconds, 0, 65_535);
    within("maxKeepAliveSeconds", maxKeepAliveSeconds, 0, 65_535);
    within("maxSessionExpirySeconds", maxSessionExpirySeconds, 0, AttachRequest.NEVER_EXPIRES);
    within("mqtt3SessionExpirySeconds", mqtt3SessionExpirySeconds, 1, AttachRequest.NEVER_EXPIRES);
    within("receiveMaximum", receiveMaximum, 1, 65_535);
    within("maxPendingPublishes", maxPendingPublishes, 1, 1_000_000);
    within("maxPendingBytes", maxPendingBytes, 1_024, Integer.MAX_VALUE);
    within("topicAliasMaximum", topicAliasMaximum, 0, 65_535);
    within("maxInflight", maxInflight, 1, 65_534);
    within("outboundTopicAliases", outboundTopicAliases, 0, 65_535);
    within("maxQueuedMessages", maxQueuedMessages, 1, Integer.MAX_VALUE);
    within("maxQueuedBytes", maxQueuedBytes, 1_024, Integer.MAX_VALUE);
    within("inboxBufferMessages", inboxBufferMessages, 1, 65_535);
    within("inboxBufferBytes", inboxBufferBytes, 1_024, Integer.MAX_VALUE);
    within("maxSubscriptions", maxSubscriptions, 1, Integer.MAX_VALUE);
    within("maxSubscriptionBytes", maxSubscriptionBytes, 1_024, Integer.MAX_VALUE);
    within("maxPendingSubscribes", maxPendingSubscribes, 1, 65_535);
    within("retainedPageMessages", retainedPageMessages, 1, 65_535);
    within("retainedPageBytes", retainedPageBytes, 1_024, Integer.MAX_VALUE);
  }

  private static void within(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", not " + value);
    }
  }

  /** What stands in the configuration file when it says nothing else. */
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
