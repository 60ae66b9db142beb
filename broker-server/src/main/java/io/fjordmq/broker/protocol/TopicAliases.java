package io.fjordmq.broker.protocol;

import io.fjordmq.api.Topic;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The topic aliases of one connection in both directions (MQTT 5.0 §3.3.2.3.4). Allocates no memory
 * until an alias is used.
 */
final class TopicAliases {
  private final int inboundMaximum;
  private final int outboundMaximum;
  private @Nullable Topic @Nullable [] inbound;
  private @Nullable Map<String, Integer> outbound;

  /**
   * @param inboundMaximum the number of aliases that the client may use; 0 = none
   * @param outboundMaximum the number of aliases for messages to the client; 0 = none. Once all of
   *     them are assigned, further topics are sent in full
   */
  TopicAliases(int inboundMaximum, int outboundMaximum) {
    this.inboundMaximum = inboundMaximum;
    this.outboundMaximum = outboundMaximum;
  }

  /**
   * Returns the topic to which the client has assigned this alias.
   *
   * @throws ProtocolViolation if the client has not assigned the alias
   */
  Topic topicOf(int alias) {
    requireAllowed(alias);
    Topic topic = inbound == null ? null : inbound[alias];
    if (topic == null) {
      throw new ProtocolViolation(CloseReason.PROTOCOL_ERROR, "unknown topic alias " + alias);
    }
    return topic;
  }

  /** Records an alias that the client assigns to a topic. */
  void learn(int alias, Topic topic) {
    requireAllowed(alias);
    if (inbound == null) {
      inbound = new @Nullable Topic[inboundMaximum + 1];
    }
    inbound[alias] = topic;
  }

  private void requireAllowed(int alias) {
    if (alias == 0 || alias > inboundMaximum) {
      throw new ProtocolViolation(
          CloseReason.TOPIC_ALIAS_INVALID,
          "topic alias must be between 1 and " + inboundMaximum + ", not " + alias);
    }
  }

  /** Returns the alias that the client knows for the topic; 0 if there is none. */
  int aliasOf(String topic) {
    return outbound == null ? 0 : outbound.getOrDefault(topic, 0);
  }

  /** Assigns an alias to the topic; returns 0 if all aliases are already assigned. */
  int assign(String topic) {
    if (outbound == null) {
      outbound = new HashMap<>();
    }
    if (outbound.size() >= outboundMaximum) {
      return 0;
    }
    int alias = outbound.size() + 1;
    outbound.put(topic, alias);
    return alias;
  }
}
