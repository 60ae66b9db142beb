package io.fjordmq.perf.broker;

import io.fjordmq.perf.scenario.Scenario;

/**
 * A broker to start.
 *
 * @param name name in reports
 * @param program {@link #FJORDMQ}, {@link #MOSQUITTO} or the directory of another checkout of
 *     FjordMQ
 * @param scenario determines how many nodes there are and how clients connect
 * @param settings additional configuration of each FjordMQ node, as YAML; may be empty
 */
public record BrokerSpec(String name, String program, Scenario scenario, String settings) {
  /** The FjordMQ checkout that the tool belongs to. */
  public static final String FJORDMQ = "fjordmq";

  public static final String MOSQUITTO = "mosquitto";

  /** Settings that lift the rate limits per client. */
  public static final String UNLIMITED_RATES =
      "sessionConfig: {readBytesPerSecond: 0, writeBytesPerSecond: 0}";

  boolean isMosquitto() {
    return program.equals(MOSQUITTO);
  }
}
