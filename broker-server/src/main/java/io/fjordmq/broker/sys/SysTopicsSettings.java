package io.fjordmq.broker.sys;

import java.time.Duration;

/**
 * Settings of the {@code $SYS} topics.
 *
 * @param mosquitto whether to publish {@code $SYS/broker/…}, with the names of mosquitto
 * @param emqx whether to publish {@code $SYS/brokers/…}, with the names of EMQX
 * @param clientEvents whether to publish {@code $SYS/brokers/{node}/clients/{id}/connected} and
 *     {@code disconnected}
 * @param interval interval at which changed values are published
 * @param tenant tenant whose clients can subscribe to the topics, which cover all tenants
 */
public record SysTopicsSettings(
    boolean mosquitto, boolean emqx, boolean clientEvents, Duration interval, String tenant) {
  /** No events of clients: every subscriber would learn about all clients. */
  public static final SysTopicsSettings DEFAULTS =
      new SysTopicsSettings(true, true, false, Duration.ofSeconds(10), "");

  /**
   * @throws IllegalArgumentException if a value is invalid; the message names it
   */
  public SysTopicsSettings {
    if (interval.toMillis() < 100) {
      throw new IllegalArgumentException(
          "interval must be at least 100 ms, not " + interval.toMillis() + " ms");
    }
  }
}
