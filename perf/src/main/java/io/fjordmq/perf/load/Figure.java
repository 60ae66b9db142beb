package io.fjordmq.perf.load;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What a run says about a broker, in the order of the reports. Of the counted time unless said. */
public enum Figure {
  OFFERED("offered", "msg/s", 0, Better.NEITHER, "what the timetable asks for"),
  SENT("sent", "msg/s", 0, Better.HIGHER, "publishes the broker took from its sockets"),
  RECEIVED("delivered", "msg/s", 0, Better.HIGHER, "messages that came to subscribers"),
  MEAN_MS("latency mean", "ms", 2, Better.LOWER, "from the intended time of sending to delivery"),
  P50_MS("latency p50", "ms", 2, Better.LOWER, "half of the deliveries came sooner"),
  P99_MS("latency p99", "ms", 2, Better.LOWER, "99 % of the deliveries came sooner"),
  P999_MS("latency p99.9", "ms", 2, Better.LOWER, "99.9 % of the deliveries came sooner"),
  MAX_MS("latency max", "ms", 2, Better.LOWER, "the last one"),
  ACK_MEAN_MS("PUBACK mean", "ms", 2, Better.LOWER, "from the intended time of sending"),
  ACK_P99_MS("PUBACK p99", "ms", 2, Better.LOWER, "99 % of the acknowledgements came sooner"),
  ACK_MAX_MS("PUBACK max", "ms", 2, Better.LOWER, "the last one"),
  CPU_PERCENT("broker CPU", "% of the machine", 1, Better.LOWER, "of all its nodes"),
  CPU_MICROS("broker CPU a message", "µs", 2, Better.LOWER, "publishes and deliveries counted"),
  MEMORY_MB("broker memory", "MB", 0, Better.LOWER, "resident, of all its nodes, the most seen"),
  WRITTEN_BYTES("written a publish", "B", 0, Better.LOWER, "to disk, as the kernel counts it"),
  CONNECTED("connected", "clients", 0, Better.NEITHER, "of the whole run"),
  CONNECTS("connections made", "/s", 0, Better.HIGHER, "mean of the time in which they came"),
  CONNECT_CPU_PERCENT(
      "broker CPU while they came", "% of the machine", 1, Better.LOWER, "of all its nodes"),
  CONNECT_CPU_MICROS(
      "broker CPU a connection", "µs", 0, Better.LOWER, "while they came, by those accepted"),
  HOLD_CPU_PERCENT(
      "broker CPU while held",
      "% of the machine",
      1,
      Better.LOWER,
      "all are connected and do nothing"),
  CONNECT_MEAN_MS(
      "CONNECT mean", "ms", 2, Better.LOWER, "from when it should have begun to CONNACK"),
  CONNECT_P99_MS("CONNECT p99", "ms", 2, Better.LOWER, "99 % were accepted sooner"),
  CONNECT_MAX_MS("CONNECT max", "ms", 2, Better.LOWER, "the last one"),
  CONNECTION_KB(
      "memory a client", "KB", 2, Better.LOWER, "what the broker grew by while they came"),
  LOST(
      "lost",
      "messages",
      0,
      Better.LOWER,
      "acknowledged, or sent at QoS 0, and never delivered, of the whole run"),
  UNANSWERED(
      "neither acknowledged nor delivered",
      "messages",
      0,
      Better.LOWER,
      "sent, but the broker promised nothing, of the whole run"),
  DUPLICATED("doubled", "messages", 0, Better.LOWER, "delivered again, of the whole run"),
  OUT_OF_ORDER("out of order", "messages", 0, Better.LOWER, "after a later one, of the whole run"),
  STRANGE("misrouted", "messages", 0, Better.LOWER, "that nobody there had asked for"),
  UNACKNOWLEDGED("not acknowledged", "messages", 0, Better.LOWER, "of the whole run"),
  HELD_BACK("not taken", "messages", 0, Better.LOWER, "due, but the broker read no more"),
  REFUSED("refused", "clients", 0, Better.LOWER, "that could not connect or subscribe"),
  DISCONNECTED("disconnected", "clients", 0, Better.LOWER, "whose connection the broker ended"),
  DEPARTURES("left and came back", "times", 0, Better.NEITHER, "as the scenario has it"),
  TOOL_CPU_PERCENT("load tool CPU", "% of the machine", 1, Better.NEITHER, "what this tool took"),
  TOOL_LATE_MS(
      "load tool late, p99", "ms", 2, Better.NEITHER, "from the intended time to its writing"),
  RANGES("ranges", "", 0, Better.NEITHER, "of all stores, at the end");

  /** Which of two is better. */
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
   * Whether it counts what a broker must not do: of several runs the sum is what matters, since one
   * in any of them counts.
   */
  public boolean isFault() {
    return FAULTS.contains(this);
  }

  /** One line for people. */
  public String meaning() {
    return meaning;
  }

  /** Without its unit; small numbers that are not whole get two digits after the point. */
  public String text(double value) {
    if (decimals == 0 && Math.abs(value) < 10 && value != Math.rint(value)) {
      return String.format(Locale.ROOT, "%.2f", value);
    }
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }
}
