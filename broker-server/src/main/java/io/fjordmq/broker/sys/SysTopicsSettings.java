package io.fjordmq.broker.sys;

import java.time.Duration;

/**
 * Which {@code $SYS} topics there are.
 *
 * @param mosquitto {@code $SYS/broker/…}: figures, under the names mosquitto has for them
 * @param emqx {@code $SYS/brokers/…}: this node, under the names EMQX has for it
 * @param clientEvents {@code $SYS/brokers/{node}/clients/{id}/connected} and {@code disconnected}
 * @param interval between two looks at the figures; what has changed is published
 * @param tenant whose clients can subscribe to them: they tell of all tenants
 */
public record SysTopicsSettings(
    boolean mosquitto, boolean emqx, boolean clientEvents, Duration interval, String tenant) {
  /** Figures, but nothing about single clients: who may subscribe would learn of everybody. */
  public static final SysTopicsSettings DEFAULTS =
      new SysTopicsSettings(true, true, false, Duration.ofSeconds(10), "");

  /**
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public SysTopicsSettings {
    if (interval.toMillis() < 100) {
      throw new IllegalArgumentException(
          "interval must be at least 100 ms, not " + interval.toMillis() + " ms");
    }
  }
}
