package io.fjordmq.broker.delivery;

/**
 * Names a share: all shared subscriptions with the same share name and the same filter (MQTT 5.0
 * §4.8.2).
 */
public record ShareKey(String tenant, String shareName, String pattern) {

  /** The filter as it stands in a SUBSCRIBE. */
  String filterText() {
    return "$share/" + shareName + "/" + pattern;
  }
}
