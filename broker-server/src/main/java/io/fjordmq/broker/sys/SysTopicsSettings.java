package io.fjordmq.broker.sys;

import java.time.Duration;

/**
 * Settings for the {@code $SYS} topics.
 *
 * @param mosquitto whether to publish {@code $SYS/broker/…}, named as in mosquitto
 * @param emqx whether to publish {@code $SYS/brokers/…}, named as in EMQX
 * @param clientEvents whether to publish {@code $SYS/brokers/{node}/clients/{id}/connected} and
 *     {@code disconnected}
 * @param interval the interval at which changed values are published
 * @param tenant the tenant whose clients can subscribe to the topics, whose values cover all
 *     tenants
 */
public record SysTopicsSettings(
    boolean mosquitto, boolean emqx, boolean clientEvents, Duration interval, String tenant) {
  /**
   * The defaults. Client events are disabled, because every subscriber would learn about all
   * clients.
   */
  public static final SysTopicsSettings DEFAULTS =
      new SysTopicsSettings(true, true, false, Duration.ofSeconds(10), "");

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public SysTopicsSettings {
    if (interval.toMillis() < 100) {
      throw new IllegalArgumentException(
          "interval must be at least 100 ms, not " + interval.toMillis() + " ms");
    }
  }
}
