package io.fjordmq.broker.monitor;

import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.broker.ops.ClientTraffic;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Takes a sample every ten seconds and keeps those of the last hour. All nodes take their samples
 * at the same multiples of ten seconds of cluster time, so that samples of several nodes can be
 * added up. {@link #tick} must be called by a single thread; all other methods are thread-safe.
 */
public final class Sampler implements AutoCloseable {
  /** The time between two samples. */
  public static final Duration INTERVAL = Duration.ofSeconds(10);

  /** How long samples are kept. */
  public static final Duration RETENTION = Duration.ofHours(1);

  /** How late a sample may be taken. */
  private static final Duration TICK = Duration.ofSeconds(1);

  private static final double P50 = 0.50;
  private static final double P99 = 0.99;

  private final Source source;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final PeriodicTasks tasks = new PeriodicTasks("monitor");
  private final TimeSeries samples = new TimeSeries(Math.toIntExact(RETENTION.dividedBy(INTERVAL)));

  private @Nullable PreviousReading previous;
  private volatile Map<String, Long> rates = Map.of();

  /** The previous reading, and when it was taken. */
  private record PreviousReading(Reading reading, long nanos, long boundaryMillis) {}

  /** Reads this node. Called on any thread; must not block. */
  public interface Source {
    Gauges gauges();

    Reading reading();
  }

  /**
   * @param clock cluster time
   * @param nanoTime a monotonic clock
   */
  Sampler(Source source, InstantSource clock, LongSupplier nanoTime) {
    this.source = source;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** Starts taking samples on its own thread. */
  public static Sampler start(Source source, InstantSource clock) {
    Sampler sampler = new Sampler(source, clock, System::nanoTime);
    sampler.tasks.every(TICK, "monitor", sampler::tick);
    return sampler;
  }

  /** Takes a sample if one is due. */
  void tick() {
    long now = clock.millis();
    long boundary = now - Math.floorMod(now, INTERVAL.toMillis());
    PreviousReading before = previous;
    if (before != null && boundary <= before.boundaryMillis) {
      return; // cluster time may be corrected backward a little
    }
    Reading reading = source.reading();
    long nanos = nanoTime.getAsLong();
    previous = new PreviousReading(reading, nanos, boundary);
    if (before != null) {
      samples.add(sample(before, reading, Math.max(1, nanos - before.nanos), boundary));
    }
  }

  private Sample sample(PreviousReading before, Reading now, long elapsedNanos, long boundary) {
    Sample.Builder sample = now.gauges().sample(boundary);
    Map<String, Long> perSecond = new LinkedHashMap<>();
    increase(Series.RECEIVED, before, now, ClientTraffic::publishesReceived)
        .addTo(sample, perSecond, elapsedNanos);
    increase(Series.RECEIVED_BYTES, before, now, ClientTraffic::bytesReceived)
        .addTo(sample, perSecond, elapsedNanos);
    increase(Series.SENT, before, now, ClientTraffic::publishesSent)
        .addTo(sample, perSecond, elapsedNanos);
    increase(Series.SENT_BYTES, before, now, ClientTraffic::bytesSent)
        .addTo(sample, perSecond, elapsedNanos);
    increase(Series.DROPPED, before, now, ClientTraffic::publishesDropped)
        .addTo(sample, perSecond, elapsedNanos);
    rates = perSecond;
    sample.set(Series.CPU_PERCENT, cpuPercent(before.reading, now, elapsedNanos));
    sample.set(Series.PUBLISH_ACK_P50, micros(before.reading, now, P50));
    sample.set(Series.PUBLISH_ACK_P99, micros(before.reading, now, P99));
    return sample.build();
  }

  /** The increase of a counter between two readings. */
  private record Increase(Series series, long value) {
    void addTo(Sample.Builder sample, Map<String, Long> perSecond, long elapsedNanos) {
      sample.set(series, value);
      String label = series.rateLabel();
      if (label != null) {
        perSecond.put(label, Math.round(value * 1e9 / elapsedNanos));
      }
    }
  }

  private static Increase increase(
      Series series, PreviousReading before, Reading now, ToLongFunction<ClientTraffic> counter) {
    long increase =
        counter.applyAsLong(now.traffic()) - counter.applyAsLong(before.reading.traffic());
    return new Increase(series, Math.max(0, increase));
  }

  private static long cpuPercent(Reading before, Reading now, long elapsedNanos) {
    if (before.cpuNanos() < 0 || now.cpuNanos() < 0) {
      return Series.UNKNOWN;
    }
    double processors = Runtime.getRuntime().availableProcessors();
    double share = (now.cpuNanos() - before.cpuNanos()) / (elapsedNanos * processors);
    return Math.round(100 * Math.max(0, Math.min(1, share)));
  }

  private static long micros(Reading before, Reading now, double quantile) {
    OptionalLong nanos =
        now.acknowledgements().quantileNanosSince(before.acknowledgements(), quantile);
    return nanos.isPresent() ? TimeUnit.NANOSECONDS.toMicros(nanos.getAsLong()) : Series.UNKNOWN;
  }

  /** Returns the samples of the last seconds, oldest first. */
  List<Sample> latest(int seconds) {
    return samples.after(clock.millis() - TimeUnit.SECONDS.toMillis(seconds));
  }

  /**
   * Returns the current values by label: gauges now, and the rates and other values of the latest
   * sample.
   */
  Map<String, Long> current() {
    Sample now = source.gauges().sample(clock.millis()).build();
    List<Sample> recent = latest(2 * (int) INTERVAL.toSeconds());
    Map<String, Long> values = new LinkedHashMap<>();
    for (Series series : Series.values()) {
      long value = now.value(series);
      if (value == Series.UNKNOWN && series.rateLabel() == null && !recent.isEmpty()) {
        value = recent.get(recent.size() - 1).value(series);
      }
      if (value != Series.UNKNOWN) {
        values.put(series.label(), value);
      }
    }
    values.putAll(rates);
    return values;
  }

  @Override
  public void close() {
    tasks.close();
  }
}
