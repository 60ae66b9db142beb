package io.fjordmq.broker.ops;

import io.fjordmq.broker.providers.CallOutcome;
import io.fjordmq.broker.providers.ProviderInfo;
import io.fjordmq.broker.providers.ProviderMeter;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Metrics for one authentication provider or authorization. */
final class ProviderMeters implements ProviderMeter {
  private final Map<CallOutcome, LongAdder> calls = new EnumMap<>(CallOutcome.class);
  private final Timer latency;
  private final LongAdder hits;
  private final LongAdder misses;
  private final LongAdder waiting = new LongAdder();
  private volatile boolean breakerOpen;

  ProviderMeters(Meters meters, ProviderInfo info) {
    String chain = info.chain().label();
    String name = info.name();
    for (CallOutcome outcome : CallOutcome.values()) {
      calls.put(
          outcome, meters.counter(SecurityMetric.PROVIDER_CALLS, chain, name, outcome.label()));
    }
    latency = meters.timer(SecurityMetric.PROVIDER_LATENCY, chain, name);
    hits = meters.counter(SecurityMetric.PROVIDER_CACHE_LOOKUPS, chain, name, "hit");
    misses = meters.counter(SecurityMetric.PROVIDER_CACHE_LOOKUPS, chain, name, "miss");
    meters.gauge(SecurityMetric.PROVIDER_CALLS_WAITING, waiting::doubleValue, chain, name);
    meters.gauge(SecurityMetric.PROVIDER_BREAKER_OPEN, () -> breakerOpen ? 1 : 0, chain, name);
  }

  @Override
  public void onCall(CallOutcome outcome, long nanos) {
    Objects.requireNonNull(calls.get(outcome)).increment();
    latency.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onCacheLookup(boolean hit) {
    (hit ? hits : misses).increment();
  }

  @Override
  public void addWaiting(int delta) {
    waiting.add(delta);
  }

  @Override
  public void onBreaker(boolean open) {
    breakerOpen = open;
  }
}
