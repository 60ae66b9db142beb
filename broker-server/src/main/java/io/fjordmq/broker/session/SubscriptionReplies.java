package io.fjordmq.broker.session;

import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubAckPayload;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckPayload;

/** SUBACK and UNSUBACK packets. */
final class SubscriptionReplies {
  private SubscriptionReplies() {}

  static MqttMessage subAck(int packetIdentifier, int[] codes) {
    return new MqttSubAckMessage(
        header(MqttMessageType.SUBACK), identified(packetIdentifier), new MqttSubAckPayload(codes));
  }

  static MqttMessage unsubAck(int packetIdentifier, short[] codes) {
    return new MqttUnsubAckMessage(
        header(MqttMessageType.UNSUBACK),
        identified(packetIdentifier),
        new MqttUnsubAckPayload(codes));
  }

  private static MqttFixedHeader header(MqttMessageType type) {
    return new MqttFixedHeader(type, false, MqttQoS.AT_MOST_ONCE, false, 0);
  }

  private static MqttMessageIdAndPropertiesVariableHeader identified(int packetIdentifier) {
    return new MqttMessageIdAndPropertiesVariableHeader(
        packetIdentifier, MqttProperties.NO_PROPERTIES);
  }
}
