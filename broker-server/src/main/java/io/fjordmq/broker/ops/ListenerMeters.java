package io.fjordmq.broker.ops;

import io.fjordmq.broker.net.ListenerObserver;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/** Metrics of listeners and TLS handshakes. */
final class ListenerMeters implements ListenerObserver {
  private final Meters meters;
  private final LongAdder full;
  private final LongAdder resumed;
  private final LongAdder loaded;
  private final LongAdder rejected;

  /** The expiry time of each certificate, by the key of its listener or section. */
  private final Map<String, Instant> expiries = new ConcurrentHashMap<>();

  ListenerMeters(Meters meters) {
    this.meters = meters;
    full = meters.counter(ClientMetric.TLS_HANDSHAKES, "full");
    resumed = meters.counter(ClientMetric.TLS_HANDSHAKES, "resumed");
    loaded = meters.counter(ClientMetric.TLS_RELOADS, "loaded");
    rejected = meters.counter(ClientMetric.TLS_RELOADS, "rejected");
    meters.gauge(ClientMetric.TLS_CERTIFICATE_EXPIRY, this::firstExpiry);
  }

  private double firstExpiry() {
    return expiries.values().stream().mapToLong(Instant::getEpochSecond).min().orElse(0);
  }

  @Override
  public void onListening(
      String listener, String protocol, int maxConnections, IntSupplier connections) {
    meters.gauge(ClientMetric.LISTENER_CONNECTIONS, connections::getAsInt, listener, protocol);
    meters.gauge(ClientMetric.LISTENER_CONNECTIONS_LIMIT, () -> maxConnections, listener, protocol);
  }

  @Override
  public void onHandshake(boolean isResumed) {
    (isResumed ? resumed : full).increment();
  }

  @Override
  public void onReload(boolean isLoaded) {
    (isLoaded ? loaded : rejected).increment();
  }

  @Override
  public void onCertificate(String listener, Instant expires) {
    expiries.put(listener, expires);
  }
}
