package io.fjordmq.broker.limits;

import java.util.Locale;

/**
 * The limits whose effects are counted, each with its configuration key. docs/LIMITS.md describes
 * what clients see; a test keeps this enum and the document consistent.
 */
public enum Limit {
  CONNECTIONS("tenantConfig.maxConnections"),
  CONNECTION_RATE("tenantConfig.connectionsPerSecond"),
  TENANT_PUBLISH_RATE("tenantConfig.publishesPerSecond"),
  USER_CONNECTIONS("userConfig.maxConnections"),
  USER_CONNECTION_RATE("userConfig.connectionsPerSecond"),
  USER_PUBLISH_RATE("userConfig.publishesPerSecond"),
  ADDRESS_CONNECTIONS("addressConfig.maxConnections"),
  ADDRESS_CONNECTION_RATE("addressConfig.connectionsPerSecond"),
  ADDRESS_PUBLISH_RATE("addressConfig.publishesPerSecond"),
  RETAINED_MESSAGES("tenantConfig.maxRetainedMessages"),
  RETAINED_BYTES("tenantConfig.maxRetainedBytes"),
  PACKET_BYTES("sessionConfig.maxPacketBytes"),
  PAYLOAD_BYTES("sessionConfig.maxPayloadBytes"),
  CLIENT_ID_BYTES("sessionConfig.maxClientIdBytes"),
  TOPIC_BYTES("sessionConfig.maxTopicBytes"),
  TOPIC_LEVELS("sessionConfig.maxTopicLevels"),
  READ_RATE("sessionConfig.readBytesPerSecond"),
  WRITE_RATE("sessionConfig.writeBytesPerSecond"),
  PUBLISH_RATE("sessionConfig.publishesPerSecond"),
  RECEIVE_MAXIMUM("sessionConfig.receiveMaximum"),
  PENDING_PUBLISHES("sessionConfig.maxPendingPublishes"),
  PENDING_BYTES("sessionConfig.maxPendingBytes"),
  PENDING_SUBSCRIBES("sessionConfig.maxPendingSubscribes"),
  SUBSCRIPTIONS("sessionConfig.maxSubscriptions"),
  SUBSCRIPTION_BYTES("sessionConfig.maxSubscriptionBytes"),
  INFLIGHT("sessionConfig.maxInflight"),
  QUEUED_MESSAGES("sessionConfig.maxQueuedMessages"),
  QUEUED_BYTES("sessionConfig.maxQueuedBytes");

  private final String key;
  private final String label = name().toLowerCase(Locale.ROOT);

  Limit(String key) {
    this.key = key;
  }

  /** The key in the configuration file. */
  public String key() {
    return key;
  }

  /** The value of the metric label. */
  public String label() {
    return label;
  }
}
