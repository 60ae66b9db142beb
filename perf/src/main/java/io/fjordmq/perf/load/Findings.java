package io.fjordmq.perf.load;

import io.fjordmq.perf.check.Missing;
import io.fjordmq.perf.load.EventLoopLoad.Counter;
import io.fjordmq.perf.load.Sampler.Reading;
import io.fjordmq.perf.machine.BrokerWatch;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Derives the figures, faults and remarks of a run from its counters. */
final class Findings {
  /**
   * If less than this fraction of the schedule was processed, the broker did not sustain the load.
   */
  private static final double SUSTAINED_FRACTION = 0.99;

  /**
   * If the tool's own writes are later than this, a remark warns that latencies include the delay.
   */
  private static final double TOOL_LATE_MILLIS = 5;

  /**
   * Allowance for the duration of the last connects, which delays the last CONNACK even if the rate
   * is met.
   */
  private static final double RESPONSE_SECONDS = 0.5;

  private static final double[] PERCENTS = {
    1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 97, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 100
  };

  private final Scenario scenario;
  private final Fleet fleet;
  private final Sampler sampler;
  private final BrokerWatch watch;
  private final Map<ResultMetric, Double> figures = new EnumMap<>(ResultMetric.class);
  private final ServiceCalls serviceCalls;
  private final List<String> faults = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();

  /** The counters at the start of the measured period; null before and after that period. */
  private @Nullable Reading periodStart;

  Findings(Scenario scenario, Fleet fleet, Sampler sampler, BrokerWatch watch) {
    this.scenario = scenario;
    this.fleet = fleet;
    this.sampler = sampler;
    this.watch = watch;
    this.serviceCalls = new ServiceCalls(watch, figures);
  }

  /**
   * Called when the run was aborted. Keeps the measurements taken so far.
   *
   * @param why reason, reported as a fault
   */
  void aborted(String why, Reading last) {
    faults.add(why);
    Reading from = periodStart;
    if (from != null && last.nanos() - from.nanos() > 0) {
      periodEnded(last);
      double seconds = (last.nanos() - from.nanos()) / 1e9;
      remarks.add("measured for %.0f s, until the run was aborted".formatted(seconds));
    }
  }

  /** Called when all connection attempts have completed. */
  void connected(Reading before, Reading after) {
    int accepted = fleet.arrivals().accepted();
    figures.put(ResultMetric.CONNECTED, (double) accepted);
    serviceCalls.connected(accepted);
    if (accepted > 0) {
      figures.put(ResultMetric.CONNECTS, fleet.arrivals().acceptedPerSecond());
    }
    if (watch.seesProcesses() && accepted > 0) {
      long grownKilobytes =
          after.broker().residentKilobytes() - before.broker().residentKilobytes();
      figures.put(ResultMetric.CONNECTION_KB, grownKilobytes / (double) accepted);
      double cpu = after.broker().cpuMicros() - before.broker().cpuMicros();
      figures.put(ResultMetric.CONNECT_CPU_PERCENT, cpu / cpuMicrosPerPercent(before, after));
      figures.put(ResultMetric.CONNECT_CPU_MICROS, cpu / accepted);
    }
    double offered = scenario.connections().perSecond();
    if (offered > 0 && accepted > 0) {
      checkConnectRate(offered, accepted);
    }
  }

  /** Checks whether the broker accepted clients at the rate at which they connected. */
  private void checkConnectRate(double offered, int accepted) {
    double rate = fleet.arrivals().acceptedPerSecond();
    double late = accepted / rate - scenario.clients().total() / offered;
    if (rate < SUSTAINED_FRACTION * offered && late > RESPONSE_SECONDS) {
      remarks.add(
          "behind schedule: %.0f of %.0f connections per second were accepted"
              .formatted(rate, offered));
    }
  }

  /**
   * Returns one percent of the total CPU time of all processors between two readings, in
   * microseconds.
   */
  private static double cpuMicrosPerPercent(Reading before, Reading after) {
    double seconds = (after.nanos() - before.nanos()) / 1e9;
    return seconds * Runtime.getRuntime().availableProcessors() * 10_000;
  }

  /** Called at the start of the measured period. */
  void periodStarted(Reading now) {
    periodStart = now;
    serviceCalls.periodStarted();
  }

  /** Called at the end of the measured period. */
  void periodEnded(Reading after) {
    Reading from = Objects.requireNonNull(periodStart, "nothing was measured");
    periodStart = null;
    periodEnded(from, after);
    serviceCalls.periodEnded(); // last, because it takes a while
  }

  private void periodEnded(Reading before, Reading after) {
    double seconds = (after.nanos() - before.nanos()) / 1e9;
    double microsPerPercent = cpuMicrosPerPercent(before, after);
    figures.put(
        ResultMetric.TOOL_CPU_PERCENT,
        (after.toolCpuMicros() - before.toolCpuMicros()) / microsPerPercent);
    double cpu = after.broker().cpuMicros() - before.broker().cpuMicros();
    boolean holding = scenario.flow() == Flow.CONNECTIONS;
    if (watch.seesProcesses()) {
      figures.put(
          holding ? ResultMetric.HOLD_CPU_PERCENT : ResultMetric.CPU_PERCENT,
          cpu / microsPerPercent);
    }
    if (holding && watch.seesProcesses()) {
      double microsOfAPercent = seconds * 10_000 * scenario.cluster().nodes();
      figures.put(ResultMetric.NODE_IDLE_PERCENT, cpu / microsOfAPercent);
    }
    if (holding) {
      return;
    }
    double sent = after.sent() - before.sent();
    double received = after.received() - before.received();
    ConnectedClients connectedClients = fleet.connectedClients();
    if (!connectedClients.allConnected()) {
      remarks.add("only connected clients produced load: " + connectedClients);
    }
    figures.put(ResultMetric.OFFERED, connectedClients.publishesPerSecond());
    figures.put(ResultMetric.SENT, sent / seconds);
    figures.put(ResultMetric.RECEIVED, received / seconds);
    if (watch.seesProcesses() && sent + received > 0) {
      figures.put(ResultMetric.CPU_MICROS, cpu / (sent + received));
      after
          .broker()
          .writtenSince(before.broker())
          .ifPresent(bytes -> figures.put(ResultMetric.WRITTEN_BYTES, bytes / Math.max(1, sent)));
    }
    figures.put(ResultMetric.HELD_BACK, (double) fleet.overdueMessages(after.nanos()));
    if (scenario.connections().clientChurn().percent() > 0) {
      return; // disconnected clients send and receive nothing; HELD_BACK shows the rest
    }
    if (sent < SUSTAINED_FRACTION * connectedClients.publishesPerSecond() * seconds) {
      remarks.add(
          "behind schedule: %.0f of %.0f publishes per second were sent"
              .formatted(sent / seconds, connectedClients.publishesPerSecond()));
    } else if (received < SUSTAINED_FRACTION * connectedClients.deliveriesPerSecond() * seconds) {
      remarks.add(
          "behind schedule: %.0f of %.0f messages per second were delivered"
              .formatted(received / seconds, connectedClients.deliveriesPerSecond()));
    }
  }

  /** Returns the result; must be called after all clients have stopped. */
  RunResult result(String broker) {
    sampler.collectRemainder();
    latencies();
    if (watch.seesProcesses()) {
      figures.put(ResultMetric.MEMORY_MB, sampler.peakMemoryMb());
    }
    if (!sampler.samples().isEmpty()) {
      Sample end = sampler.samples().get(sampler.samples().size() - 1);
      end.value(Series.RANGES).ifPresent(ranges -> figures.put(ResultMetric.RANGES, ranges));
    }
    addFault(ResultMetric.REFUSED, fleet.arrivals().refused(), "could not connect or subscribe");
    addReasons(fleet.arrivals().reasons());
    addFault(ResultMetric.DISCONNECTED, fleet.connectionCounts().lost(), "were disconnected");
    addReasons(fleet.connectionCounts().losses());
    if (scenario.connections().clientChurn().percent() > 0) {
      figures.put(ResultMetric.DEPARTURES, (double) fleet.connectionCounts().departures());
    }
    if (fleet.hasStarted()) {
      Missing missing = fleet.missing();
      addFault(ResultMetric.LOST, missing.lost(), "were lost");
      addFault(
          ResultMetric.UNANSWERED,
          missing.unacknowledged(),
          "were neither acknowledged nor delivered");
      addFault(ResultMetric.DUPLICATED, sum(loopLoad -> loopLoad.duplicated), "were duplicated");
      addFault(
          ResultMetric.OUT_OF_ORDER,
          sum(loopLoad -> loopLoad.outOfOrder),
          "were delivered out of order");
      long strange = sum(loopLoad -> loopLoad.misrouted) + sum(loopLoad -> loopLoad.unexpected);
      addFault(ResultMetric.STRANGE, strange, "were misrouted");
      addFault(ResultMetric.UNACKNOWLEDGED, fleet.unacknowledged(), "were not acknowledged");
    } else if (scenario.flow() != Flow.CONNECTIONS) {
      faults.add("there was no load");
    }
    return new RunResult(
        broker, figures, sampler.samples(), percentiles(sampler.delivery()), faults, remarks);
  }

  private void addFault(ResultMetric figure, long count, String what) {
    figures.put(figure, (double) count);
    if (count > 0) {
      faults.add("%,d %s %s".formatted(count, figure.unit(), what));
    }
  }

  private void addReasons(ErrorCounts errorCounts) {
    errorCounts.lines().forEach(line -> faults.add("  " + line));
  }

  private long sum(Function<EventLoopLoad, Counter> of) {
    return fleet.loopLoads().stream().mapToLong(loopLoad -> of.apply(loopLoad).get()).sum();
  }

  private void latencies() {
    Histogram delivery = sampler.delivery();
    if (delivery.getTotalCount() > 0) {
      figures.put(ResultMetric.MEAN_MS, delivery.getMean() / 1000);
      figures.put(ResultMetric.P50_MS, Sampler.millis(delivery, 50));
      figures.put(ResultMetric.P99_MS, Sampler.millis(delivery, 99));
      figures.put(ResultMetric.P999_MS, Sampler.millis(delivery, 99.9));
      figures.put(ResultMetric.MAX_MS, delivery.getMaxValue() / 1000.0);
    }
    LastDeliveries last = fleet.lastDeliveries();
    if (last != null) {
      last.medianMillis().ifPresent(millis -> figures.put(ResultMetric.LAST_MS, millis));
    }
    Histogram acknowledged = sampler.acknowledgement();
    if (acknowledged.getTotalCount() > 0) {
      figures.put(ResultMetric.ACK_MEAN_MS, acknowledged.getMean() / 1000);
      figures.put(ResultMetric.ACK_P50_MS, Sampler.millis(acknowledged, 50));
      figures.put(ResultMetric.ACK_P99_MS, Sampler.millis(acknowledged, 99));
      figures.put(ResultMetric.ACK_MAX_MS, acknowledged.getMaxValue() / 1000.0);
    }
    Histogram connecting = sampler.connecting();
    if (connecting.getTotalCount() > 0) {
      figures.put(ResultMetric.CONNECT_MEAN_MS, connecting.getMean() / 1000);
      figures.put(ResultMetric.CONNECT_P50_MS, Sampler.millis(connecting, 50));
      figures.put(ResultMetric.CONNECT_P99_MS, Sampler.millis(connecting, 99));
      figures.put(ResultMetric.CONNECT_P999_MS, Sampler.millis(connecting, 99.9));
      figures.put(ResultMetric.CONNECT_MAX_MS, connecting.getMaxValue() / 1000.0);
    }
    Histogram lateness = sampler.lateness();
    if (lateness.getTotalCount() > 0) {
      double late = Sampler.millis(lateness, 99);
      figures.put(ResultMetric.TOOL_LATE_MS, late);
      if (late > TOOL_LATE_MILLIS) {
        remarks.add(
            ("the load tool was late (p99 %.1f ms): it lacked CPU, or the broker stopped "
                    + "reading; latencies include this delay")
                .formatted(late));
      }
    }
  }

  private static SortedMap<Double, Double> percentiles(Histogram histogram) {
    SortedMap<Double, Double> millis = new TreeMap<>();
    if (histogram.getTotalCount() > 0) {
      for (double percent : PERCENTS) {
        millis.put(percent, Sampler.millis(histogram, percent));
      }
    }
    return millis;
  }
}
