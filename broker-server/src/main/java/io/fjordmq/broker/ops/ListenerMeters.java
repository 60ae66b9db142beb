package io.fjordmq.broker.ops;

import io.fjordmq.broker.net.ListenerObserver;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of listeners and TLS handshakes. */
final class ListenerMeters implements ListenerObserver {
  private final LongAdder full;
  private final LongAdder resumed;
  private final LongAdder takenOver;
  private final LongAdder refused;

  /** When the certificate of each TLS listener expires, by key. */
  private final Map<String, Instant> expiries = new ConcurrentHashMap<>();

  ListenerMeters(Meters meters) {
    full = meters.counter(Metric.TLS_HANDSHAKES, "full");
    resumed = meters.counter(Metric.TLS_HANDSHAKES, "resumed");
    takenOver = meters.counter(Metric.TLS_RELOADS, "taken_over");
    refused = meters.counter(Metric.TLS_RELOADS, "refused");
    meters.gauge(Metric.TLS_CERTIFICATE_EXPIRY, this::firstExpiry);
  }

  private double firstExpiry() {
    return expiries.values().stream().mapToLong(Instant::getEpochSecond).min().orElse(0);
  }

  @Override
  public void handshake(boolean again) {
    (again ? resumed : full).increment();
  }

  @Override
  public void reloaded(boolean good) {
    (good ? takenOver : refused).increment();
  }

  @Override
  public void certificate(String listener, Instant expires) {
    expiries.put(listener, expires);
  }
}
