package io.fjordmq.perf.load;

import static io.fjordmq.perf.load.ResultMetric.Direction.HIGHER;
import static io.fjordmq.perf.load.ResultMetric.Direction.LOWER;
import static io.fjordmq.perf.load.ResultMetric.Direction.NEITHER;

import java.util.EnumSet;
import java.util.OptionalDouble;
import java.util.Set;
import tools.jackson.databind.EnumNamingStrategies.LowerCamelCaseStrategy;
import tools.jackson.databind.annotation.EnumNaming;

/**
 * The figures of a run, in the order of reports. They cover the measured period unless their text
 * says otherwise.
 */
@EnumNaming(LowerCamelCaseStrategy.class)
public enum ResultMetric {
  OFFERED("offered", "msg/s", 0, NEITHER, "publishes scheduled by connected publishers"),
  SENT("sent", "msg/s", 0, HIGHER, "publishes written to sockets"),
  RECEIVED("delivered", "msg/s", 0, HIGHER, "messages received by subscribers"),
  MEAN_MS("latency mean", "ms", 2, LOWER, "mean time from the scheduled send time to delivery"),
  P50_MS("latency p50", "ms", 2, LOWER, "median; 50 % of deliveries were faster"),
  P99_MS("latency p99", "ms", 2, LOWER, "99 % of deliveries were faster"),
  P999_MS("latency p99.9", "ms", 2, LOWER, "99.9 % of deliveries were faster"),
  MAX_MS("latency max", "ms", 2, LOWER, "slowest delivery"),
  LAST_MS("last delivery", "ms", 2, LOWER, "median time until all subscribers have a message"),
  ACK_MEAN_MS("PUBACK mean", "ms", 2, LOWER, "mean time from the scheduled send time to PUBACK"),
  ACK_P50_MS("PUBACK p50", "ms", 2, LOWER, "median; 50 % of PUBACKs were faster"),
  ACK_P99_MS("PUBACK p99", "ms", 2, LOWER, "99 % of PUBACKs were faster"),
  ACK_MAX_MS("PUBACK max", "ms", 2, LOWER, "slowest PUBACK"),
  CPU_PERCENT("broker CPU", "% of the host", 1, LOWER, "CPU time of all nodes together"),
  CPU_MICROS(
      "broker CPU per message",
      "µs",
      2,
      LOWER,
      "CPU time of all nodes, divided by publishes plus deliveries"),
  MEMORY_MB("broker memory", "MB", 0, LOWER, "peak resident memory of all nodes"),
  WRITTEN_BYTES("written per publish", "B", 0, LOWER, "disk writes counted by the kernel"),
  CONNECTED("connected", "clients", 0, NEITHER, "clients that connected, in the whole run"),
  CONNECTS("connection rate", "/s", 0, HIGHER, "mean rate at which clients were accepted"),
  CONNECT_CPU_PERCENT("broker CPU while connecting", "% of the host", 1, LOWER, "CPU of all nodes"),
  CONNECT_CPU_MICROS("broker CPU per connection", "µs", 0, LOWER, "CPU time per accepted client"),
  HOLD_CPU_PERCENT(
      "broker CPU while idle", "% of the host", 1, LOWER, "while all clients are idle"),
  NODE_IDLE_PERCENT(
      "CPU of an idle node", "% of a core", 2, LOWER, "mean of all nodes, clients idle"),
  CONNECT_MEAN_MS("CONNECT mean", "ms", 2, LOWER, "mean, from the scheduled connect to CONNACK"),
  CONNECT_P50_MS("CONNECT p50", "ms", 2, LOWER, "median; 50 % of CONNACKs were faster"),
  CONNECT_P99_MS("CONNECT p99", "ms", 2, LOWER, "99 % of CONNACKs were faster"),
  CONNECT_P999_MS("CONNECT p99.9", "ms", 2, LOWER, "99.9 % of CONNACKs were faster"),
  CONNECT_MAX_MS("CONNECT max", "ms", 2, LOWER, "slowest CONNACK"),
  LOGIN_CALLS(
      "provider calls per login", "", 2, LOWER, "Redis commands or HTTP requests while connecting"),
  PROVIDER_CALLS("provider calls", "/s", 0, NEITHER, "Redis commands or HTTP requests"),
  PROVIDER_CPU_PERCENT("provider CPU", "% of the host", 1, LOWER, "CPU time of the Redis server"),
  RECOVERY_SECONDS("recovery", "s", 2, LOWER, "from the restart to the next accepted client"),
  REQUESTS("API requests", "/s", 0, HIGHER, "successful requests to the REST API"),
  REQUEST_P50_MS("API request p50", "ms", 2, LOWER, "median; 50 % of requests were faster"),
  REQUEST_P99_MS("API request p99", "ms", 2, LOWER, "99 % of requests were faster"),
  REQUEST_MAX_MS("API request max", "ms", 2, LOWER, "slowest request"),
  PARTIAL_PERCENT("partial pages", "%", 0, LOWER, "pages reported as incomplete"),
  CONNECTION_KB("memory per client", "KB", 2, LOWER, "memory growth per connected client"),
  RETAINED_BYTES("memory per retained message", "B", 0, LOWER, "heap growth after a GC"),
  HELD_BACK("not sent", "messages", 0, LOWER, "scheduled but held back by the broker"),
  LOST("lost", "messages", 0, LOWER, "acknowledged (or QoS 0), never delivered, in the whole run"),
  UNANSWERED(
      "neither acknowledged nor delivered", "messages", 0, LOWER, "others, in the whole run"),
  DUPLICATED("duplicated", "messages", 0, LOWER, "delivered more than once, in the whole run"),
  OUT_OF_ORDER(
      "out of order", "messages", 0, LOWER, "delivered after a later one, in the whole run"),
  STRANGE("misrouted", "messages", 0, LOWER, "delivered to a client without a subscription"),
  UNACKNOWLEDGED(
      "not acknowledged", "messages", 0, LOWER, "no PUBACK or PUBCOMP, in the whole run"),
  REFUSED("refused", "clients", 0, LOWER, "failed to connect or subscribe"),
  FAILED_REQUESTS("failed API requests", "requests", 0, LOWER, "unexpected or no response"),
  DISCONNECTED("disconnected", "clients", 0, LOWER, "connection closed by the broker"),
  DEPARTURES("disconnected and reconnected", "times", 0, NEITHER, "as the scenario requires"),
  TOOL_CPU_PERCENT("load tool CPU", "% of the host", 1, NEITHER, "CPU time of the load tool"),
  TOOL_LATE_MS(
      "load tool lateness p99", "ms", 2, NEITHER, "from the scheduled send time to the write"),
  RANGES("ranges", "", 0, NEITHER, "number of ranges at the end of the run"),
  COLD_RATIO("cold : warm", "×", 2, LOWER, "CPU per message of a new node, relative to a warm one"),
  START_SECONDS("start", "s", 2, LOWER, "from the start command to the first CONNACK"),
  START_MB("memory after the start", "MB", 0, LOWER, "resident memory without clients"),
  COLLECTED_MB("memory after a GC", "MB", 1, LOWER, "resident memory after a garbage collection"),
  HEAP_MB("heap", "MB", 1, LOWER, "heap in use after a garbage collection"),
  THREADS("threads", "", 0, LOWER, "threads of the broker"),
  IDLE_CPU_MS("CPU without clients", "ms/s", 2, LOWER, "CPU time of all nodes"),
  SUSTAINED("sustained rate", "msg/s", 0, HIGHER, "highest sustained rate, inbound plus outbound"),
  THROUGHPUT("throughput", "msg/s", 0, HIGHER, "inbound plus outbound messages"),
  LOOP_CPU_PERCENT("event loops", "% of a core", 1, LOWER, "CPU of the broker's event loops"),
  LOOP_WAIT_PERCENT("event loops waiting", "% of the time", 1, NEITHER, "waiting for a processor"),
  TOOL_WAIT_PERCENT("load tool waiting", "% of the time", 1, NEITHER, "waiting for a processor"),
  BUSY_CLIENT("busy client", "msg/s", 0, NEITHER, "publishes that the broker handled"),
  RECONNECTED_SECONDS("all connected", "s", 2, LOWER, "until the last client received its CONNACK"),
  SERVED_SECONDS("all served", "s", 2, LOWER, "until the last client received its message"),
  LOOKUP_CPU_MICROS("query CPU per lookup", "µs", 1, LOWER, "query thread CPU per filter"),
  LOOKUPS_SECONDS("all looked up", "s", 2, LOWER, "until the last filter received its message");

  /** Which of two values is better. */
  public enum Direction {
    LOWER,
    HIGHER,
    NEITHER
  }

  private static final Set<ResultMetric> FAULTS = EnumSet.range(LOST, DISCONNECTED);

  private final String label;
  private final String unit;
  private final int decimals;
  private final Direction better;
  private final String meaning;

  ResultMetric(String label, String unit, int decimals, Direction better, String meaning) {
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

  public Direction better() {
    return better;
  }

  /**
   * Returns whether the figure counts errors of the broker. Over several runs errors are summed,
   * because a single one matters.
   */
  public boolean isFault() {
    return FAULTS.contains(this);
  }

  /** Returns a one-line description for readers of reports. */
  public String meaning() {
    return meaning;
  }

  /** Returns the value without its unit, or a dash. */
  public String text(OptionalDouble value) {
    return value.isPresent() ? text(value.getAsDouble()) : "–";
  }

  /** Returns the value without its unit; small fractions have two decimals. */
  public String text(double value) {
    if (decimals == 0 && Math.abs(value) < 10 && value != Math.rint(value)) {
      return "%.2f".formatted(value);
    }
    return ("%,." + decimals + "f").formatted(value);
  }
}
