package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Will;

/** The will of a transient session; that of a persistent one is kept by its inbox. */
record SessionWill(Will will) {

  /**
   * Publishes it. The session ends with the connection, which ends any will delay too (MQTT 5.0
   * §3.1.3.2.2).
   */
  void publish(SessionServices services, String tenant) {
    long now = services.clock().millis();
    Message kept = will.message();
    long expires =
        will.messageExpirySeconds() == Will.NO_EXPIRY
            ? Message.NEVER
            : now + will.messageExpirySeconds() * 1_000;
    Message message =
        new Message(
            kept.topic(),
            kept.payload(),
            kept.qos(),
            kept.retain(),
            kept.properties(),
            kept.publisher(),
            now,
            expires);
    services.publisher().publish(tenant, message, null, outcome -> {});
    services.publisher().flush();
  }
}
