package io.fjordmq.perf.load;

import io.fjordmq.perf.load.Sample.Phase;
import io.fjordmq.perf.machine.BrokerWatch;
import io.fjordmq.perf.machine.ProcessUsage;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * Takes a sample every second and accumulates the latencies of the measured period. Used by one
 * thread, which {@link #second} blocks until the end of the second.
 */
final class Sampler {
  /**
   * Interval between two reads of the number of ranges. It is long, because each read makes the
   * broker render all its metrics.
   */
  private static final int RANGES_INTERVAL_SECONDS = 5;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Fleet fleet;
  private final BrokerWatch watch;
  private final long self = ProcessHandle.current().pid();
  private final int processors = Runtime.getRuntime().availableProcessors();
  private final List<Sample> samples = new ArrayList<>();
  private final Histogram delivery = new Histogram(3);
  private final Histogram acknowledgement = new Histogram(3);
  private final Histogram lateness = new Histogram(3);
  private final Histogram connecting = new Histogram(3);
  private final long startNanos = System.nanoTime();
  private long nextNanos = startNanos;
  private Reading last;
  private CompletableFuture<List<Integer>> pendingRanges =
      CompletableFuture.completedFuture(List.of());
  private List<Integer> led = List.of();
  private double peakMemoryMb;

  /** Cumulative values at one point in time. */
  record Reading(
      long nanos,
      ProcessUsage broker,
      long toolCpuMicros,
      long sent,
      long received,
      int accepted) {}

  Sampler(Fleet fleet, BrokerWatch watch) {
    this.fleet = fleet;
    this.watch = watch;
    this.last = read();
  }

  private Reading read() {
    return new Reading(
        System.nanoTime(),
        watch.usage(),
        ProcessUsage.of(self).cpuMicros(),
        fleet.loopLoads().stream().mapToLong(loopLoad -> loopLoad.sent.get()).sum(),
        fleet.received(),
        fleet.arrivals().accepted());
  }

  /** Returns the cumulative values at the end of the last second. */
  Reading last() {
    return last;
  }

  /** Starts the next second now. Called after a time without samples. */
  void resume() {
    nextNanos = System.nanoTime();
  }

  /** Waits for the end of the next second and takes its sample. */
  Sample second(Phase phase) throws InterruptedException {
    nextNanos += SECOND;
    long wait = nextNanos - System.nanoTime();
    if (wait > 0) {
      TimeUnit.NANOSECONDS.sleep(wait);
    }
    return sample(phase);
  }

  /**
   * Waits for the end of the next second, or for the last client to connect if that is earlier, and
   * takes a sample. Call {@link #resume} before the next phase.
   *
   * @param connecting runs until the last client has connected
   */
  Sample second(Thread connecting) throws InterruptedException {
    nextNanos += SECOND;
    long wait = nextNanos - System.nanoTime();
    if (wait > 0) {
      TimeUnit.NANOSECONDS.timedJoin(connecting, wait);
    }
    return sample(Phase.CONNECT);
  }

  private Sample sample(Phase phase) {
    Reading now = read();
    Map<Series, Double> values = new EnumMap<>(Series.class);
    double seconds = (now.nanos - last.nanos) / (double) SECOND;
    values.put(Series.CONNECTED, (double) fleet.connectionCounts().connected());
    if (phase == Phase.CONNECT || now.accepted > last.accepted) {
      latencies(values, fleet.arrivals().connecting().getIntervalHistogram());
    }
    if (phase != Phase.CONNECT && fleet.hasPublishers()) {
      values.put(Series.SENT, (now.sent - last.sent) / seconds);
      values.put(Series.RECEIVED, (now.received - last.received) / seconds);
      messages(values);
    }
    double available = seconds * processors * 10_000.0;
    values.put(Series.TOOL_CPU_PERCENT, (now.toolCpuMicros - last.toolCpuMicros) / available);
    if (watch.seesProcesses()) {
      values.put(
          Series.CPU_PERCENT, (now.broker.cpuMicros() - last.broker.cpuMicros()) / available);
      values.put(Series.MEMORY_MB, now.broker.residentKilobytes() / 1024.0);
      peakMemoryMb = Math.max(peakMemoryMb, now.broker.residentKilobytes() / 1024.0);
    }
    ranges(values);
    last = now;
    Sample sample = new Sample((now.nanos - startNanos) / (double) SECOND, phase, values);
    samples.add(sample);
    return sample;
  }

  private void latencies(Map<Series, Double> values, Histogram interval) {
    connecting.add(interval);
    if (interval.getTotalCount() > 0) {
      values.put(Series.CONNECT_MEAN_MS, interval.getMean() / 1000);
      values.put(Series.CONNECT_P99_MS, millis(interval, 99));
      values.put(Series.CONNECT_MAX_MS, interval.getMaxValue() / 1000.0);
    }
  }

  /** Collects everything that has arrived since the end of the last second. */
  void collectRemainder() {
    messages(new EnumMap<>(Series.class));
  }

  private void messages(Map<Series, Double> values) {
    Histogram arrived = interval(loopLoad -> loopLoad.delivery, delivery);
    if (arrived.getTotalCount() > 0) {
      values.put(Series.MEAN_MS, arrived.getMean() / 1000);
      values.put(Series.P99_MS, millis(arrived, 99));
      values.put(Series.MAX_MS, arrived.getMaxValue() / 1000.0);
    }
    Histogram acknowledged = interval(loopLoad -> loopLoad.acknowledgement, acknowledgement);
    if (acknowledged.getTotalCount() > 0) {
      values.put(Series.ACK_MEAN_MS, acknowledged.getMean() / 1000);
      values.put(Series.ACK_P99_MS, millis(acknowledged, 99));
    }
    interval(loopLoad -> loopLoad.lateness, lateness);
  }

  private Histogram interval(Function<EventLoopLoad, Delays> of, Histogram counted) {
    Histogram sum = new Histogram(3);
    fleet.loopLoads().forEach(loopLoad -> of.apply(loopLoad).moveTo(sum, counted));
    return sum;
  }

  /** Adds the numbers of ranges that the nodes have reported last. */
  private void ranges(Map<Series, Double> values) {
    if (pendingRanges.isDone()) {
      led = pendingRanges.join();
      if (samples.size() % RANGES_INTERVAL_SECONDS == 0) {
        pendingRanges = watch.rangesLed();
      }
    }
    if (!led.isEmpty()) {
      values.put(Series.RANGES, led.stream().mapToDouble(Integer::doubleValue).sum());
      for (int node = 0; node < Math.min(led.size(), Series.LED.size()); node++) {
        values.put(Series.LED.get(node), led.get(node).doubleValue());
      }
    }
  }

  static double millis(Histogram histogram, double percentile) {
    return histogram.getValueAtPercentile(percentile) / 1000.0;
  }

  List<Sample> samples() {
    return samples;
  }

  /**
   * Returns the delivery latencies of messages scheduled in the measured period, in microseconds.
   */
  Histogram delivery() {
    return delivery;
  }

  /** Returns the PUBACK latencies of messages scheduled in the measured period, in microseconds. */
  Histogram acknowledgement() {
    return acknowledgement;
  }

  /**
   * Returns how late the tool itself wrote messages scheduled in the measured period, in
   * microseconds.
   */
  Histogram lateness() {
    return lateness;
  }

  /** Returns the CONNACK latencies of the whole run, in microseconds. */
  Histogram connecting() {
    return connecting;
  }

  double peakMemoryMb() {
    return peakMemoryMb;
  }
}
