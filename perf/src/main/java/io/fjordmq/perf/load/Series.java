package io.fjordmq.perf.load;

import java.util.List;
import tools.jackson.databind.EnumNamingStrategies.LowerCamelCaseStrategy;
import tools.jackson.databind.annotation.EnumNaming;

/** The values sampled every second, for plots. */
@EnumNaming(LowerCamelCaseStrategy.class)
public enum Series {
  SENT("sent", "msg/s"),
  RECEIVED("delivered", "msg/s"),
  MEAN_MS("mean", "ms"),
  P99_MS("p99", "ms"),
  MAX_MS("max", "ms"),
  ACK_MEAN_MS("PUBACK mean", "ms"),
  ACK_P99_MS("PUBACK p99", "ms"),
  CONNECTED("connected", ""),
  CONNECT_MEAN_MS("CONNECT mean", "ms"),
  CONNECT_P99_MS("CONNECT p99", "ms"),
  CONNECT_MAX_MS("CONNECT max", "ms"),
  CPU_PERCENT("broker", "% of the host"),
  TOOL_CPU_PERCENT("load tool", "% of the host"),
  MEMORY_MB("broker", "MB"),
  RANGES("ranges", ""),
  LED_BY_1("led by node 1", ""),
  LED_BY_2("led by node 2", ""),
  LED_BY_3("led by node 3", "");

  /** Ranges led by each node; the tool starts at most this many nodes. */
  static final List<Series> LED = List.of(LED_BY_1, LED_BY_2, LED_BY_3);

  private final String label;
  private final String unit;

  Series(String label, String unit) {
    this.label = label;
    this.unit = unit;
  }

  public String label() {
    return label;
  }

  public String unit() {
    return unit;
  }
}
