package io.fjordmq.perf.load;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The figures of a run, in the order of reports. They cover the measured period unless their text
 * says otherwise.
 */
public enum Figure {
  OFFERED("offered", "msg/s", 0, Better.NEITHER, "scheduled by connected publishers"),
  SENT("sent", "msg/s", 0, Better.HIGHER, "publishes written to sockets"),
  RECEIVED("delivered", "msg/s", 0, Better.HIGHER, "messages received by subscribers"),
  MEAN_MS("latency mean", "ms", 2, Better.LOWER, "from the scheduled send time to delivery"),
  P50_MS("latency p50", "ms", 2, Better.LOWER, "50 % of the deliveries were faster"),
  P99_MS("latency p99", "ms", 2, Better.LOWER, "99 % of the deliveries were faster"),
  P999_MS("latency p99.9", "ms", 2, Better.LOWER, "99.9 % of the deliveries were faster"),
  MAX_MS("latency max", "ms", 2, Better.LOWER, "the slowest delivery"),
  ACK_MEAN_MS("PUBACK mean", "ms", 2, Better.LOWER, "from the scheduled send time to PUBACK"),
  ACK_P99_MS("PUBACK p99", "ms", 2, Better.LOWER, "99 % of the PUBACKs were faster"),
  ACK_MAX_MS("PUBACK max", "ms", 2, Better.LOWER, "the slowest PUBACK"),
  CPU_PERCENT("broker CPU", "% of the host", 1, Better.LOWER, "all nodes"),
  CPU_MICROS("broker CPU per message", "µs", 2, Better.LOWER, "per publish and per delivery"),
  MEMORY_MB("broker memory", "MB", 0, Better.LOWER, "peak resident memory of all nodes"),
  WRITTEN_BYTES("written per publish", "B", 0, Better.LOWER, "to disk, as the kernel counts"),
  CONNECTED("connected", "clients", 0, Better.NEITHER, "in the whole run"),
  CONNECTS("connection rate", "/s", 0, Better.HIGHER, "mean while clients connect"),
  CONNECT_CPU_PERCENT("broker CPU while connecting", "% of the host", 1, Better.LOWER, "all nodes"),
  CONNECT_CPU_MICROS(
      "broker CPU per connection",
      "µs",
      0,
      Better.LOWER,
      "while clients connect, per accepted client"),
  HOLD_CPU_PERCENT(
      "broker CPU while idle",
      "% of the host",
      1,
      Better.LOWER,
      "all clients are connected and idle"),
  CONNECT_MEAN_MS(
      "CONNECT mean", "ms", 2, Better.LOWER, "from the scheduled connect time to CONNACK"),
  CONNECT_P99_MS("CONNECT p99", "ms", 2, Better.LOWER, "99 % of the CONNACKs were faster"),
  CONNECT_MAX_MS("CONNECT max", "ms", 2, Better.LOWER, "the slowest CONNACK"),
  CONNECTION_KB("memory per client", "KB", 2, Better.LOWER, "growth while clients connect"),
  LOST(
      "lost",
      "messages",
      0,
      Better.LOWER,
      "acknowledged, or sent with QoS 0, and never delivered, in the whole run"),
  UNANSWERED(
      "neither acknowledged nor delivered",
      "messages",
      0,
      Better.LOWER,
      "sent, but the broker promised nothing, in the whole run"),
  DUPLICATED("duplicated", "messages", 0, Better.LOWER, "delivered again, in the whole run"),
  OUT_OF_ORDER(
      "out of order", "messages", 0, Better.LOWER, "delivered after a later one, in the whole run"),
  STRANGE("misrouted", "messages", 0, Better.LOWER, "delivered to a client without a subscription"),
  UNACKNOWLEDGED("not acknowledged", "messages", 0, Better.LOWER, "in the whole run"),
  HELD_BACK("not sent", "messages", 0, Better.LOWER, "scheduled, but held back by the broker"),
  REFUSED("refused", "clients", 0, Better.LOWER, "failed to connect or subscribe"),
  DISCONNECTED("disconnected", "clients", 0, Better.LOWER, "connection closed by the broker"),
  DEPARTURES("left and returned", "times", 0, Better.NEITHER, "as the scenario requires"),
  TOOL_CPU_PERCENT("load tool CPU", "% of the host", 1, Better.NEITHER, "of this tool"),
  TOOL_LATE_MS(
      "load tool lateness p99",
      "ms",
      2,
      Better.NEITHER,
      "from the scheduled send time to the write"),
  RANGES("ranges", "", 0, Better.NEITHER, "all stores, at the end");

  /** Which of two values is better. */
  public enum Better {
    LOWER,
    HIGHER,
    NEITHER
  }

  private static final Set<Figure> FAULTS =
      EnumSet.of(
          LOST,
          UNANSWERED,
          DUPLICATED,
          OUT_OF_ORDER,
          STRANGE,
          UNACKNOWLEDGED,
          REFUSED,
          DISCONNECTED);

  private final String label;
  private final String unit;
  private final int decimals;
  private final Better better;
  private final String meaning;

  Figure(String label, String unit, int decimals, Better better, String meaning) {
    this.label = label;
    this.unit = unit;
    this.decimals = decimals;
    this.better = better;
    this.meaning = meaning;
  }

  public String label() {
    return label;
  }

  public String unit() {
    return unit;
  }

  public Better better() {
    return better;
  }

  /**
   * Whether the figure counts errors of the broker. Over several runs errors are summed, because a
   * single one matters.
   */
  public boolean isFault() {
    return FAULTS.contains(this);
  }

  /** A one-line description for readers of reports. */
  public String meaning() {
    return meaning;
  }

  /** The value without its unit; small fractions have two decimals. */
  public String text(double value) {
    if (decimals == 0 && Math.abs(value) < 10 && value != Math.rint(value)) {
      return String.format(Locale.ROOT, "%.2f", value);
    }
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }
}
