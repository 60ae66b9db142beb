package io.fjordmq.broker.session;

import io.fjordmq.api.Topic;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The topic aliases of one connection, both directions (MQTT 5.0 §3.3.2.3.4). Nothing is allocated
 * until one is used.
 */
final class TopicAliases {
  private final int inboundMaximum;
  private final int outboundMaximum;
  private @Nullable Topic @Nullable [] inbound;
  private @Nullable Map<String, Integer> outbound;

  /**
   * @param inboundMaximum aliases the client may use; 0 = none
   * @param outboundMaximum aliases used towards the client; 0 = none. First come, first served:
   *     when all are given away other topics are written in full
   */
  TopicAliases(int inboundMaximum, int outboundMaximum) {
    this.inboundMaximum = inboundMaximum;
    this.outboundMaximum = outboundMaximum;
  }

  /**
   * The topic the client gave this alias.
   *
   * @throws ProtocolViolation if it gave none
   */
  Topic topicOf(int alias) {
    requireAllowed(alias);
    Topic topic = inbound == null ? null : inbound[alias];
    if (topic == null) {
      throw new ProtocolViolation(CloseReason.PROTOCOL_ERROR, "topic alias " + alias + " unknown");
    }
    return topic;
  }

  /** The client gives a topic an alias. */
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
          "topic alias " + alias + ", allowed are 1 to " + inboundMaximum);
    }
  }

  /** True if aliases may be used towards the client. */
  boolean usable() {
    return outboundMaximum > 0;
  }

  /** The alias the client knows for the topic; 0 if none. */
  int known(String topic) {
    return outbound == null ? 0 : outbound.getOrDefault(topic, 0);
  }

  /** Gives the topic an alias; 0 if all are given away. */
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
