package io.fjordmq.broker.ops;

import io.fjordmq.broker.providers.ProviderInfo;
import io.fjordmq.broker.providers.ProviderMeter;
import io.fjordmq.broker.security.DenialCause;
import io.fjordmq.broker.security.SecurityObserver;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Metrics for authentication, access rules and plugins. */
final class SecurityMeters implements SecurityObserver {
  private final Meters meters;
  private final Map<Attempt, Map<DenialCause, LongAdder>> denials = new EnumMap<>(Attempt.class);
  private final Timer authentication;
  private final LongAdder passwordsWaiting;
  private final LongAdder addresses;
  private final LongAdder pluginCallsWaiting;
  private final LongAdder eventsWaiting;
  private final LongAdder eventsDropped;
  private final LongAdder filesLoaded;
  private final LongAdder filesRejected;
  private final LongAdder flappingBans;

  SecurityMeters(Meters meters) {
    this.meters = meters;
    for (Attempt attempt : Attempt.values()) {
      Map<DenialCause, LongAdder> causes = new EnumMap<>(DenialCause.class);
      for (DenialCause denialCause : DenialCause.values()) {
        causes.put(
            denialCause,
            meters.counter(SecurityMetric.DENIALS, attempt.label(), denialCause.label()));
      }
      denials.put(attempt, causes);
    }
    authentication = meters.timer(SecurityMetric.AUTHENTICATION);
    passwordsWaiting = meters.upDownCounter(SecurityMetric.PASSWORDS_WAITING);
    addresses = meters.upDownCounter(SecurityMetric.LOGIN_ADDRESSES);
    pluginCallsWaiting = meters.upDownCounter(SecurityMetric.PLUGIN_CALLS_WAITING);
    eventsWaiting = meters.upDownCounter(SecurityMetric.EVENTS_WAITING);
    eventsDropped = meters.counter(SecurityMetric.EVENTS_DROPPED);
    filesLoaded = meters.counter(SecurityMetric.SECURITY_FILES_READ, "loaded");
    filesRejected = meters.counter(SecurityMetric.SECURITY_FILES_READ, "rejected");
    flappingBans = meters.counter(SecurityMetric.FLAPPING_BANS);
  }

  @Override
  public void onDenied(Attempt attempt, DenialCause denialCause) {
    Map<DenialCause, LongAdder> causes = Objects.requireNonNull(denials.get(attempt));
    Objects.requireNonNull(causes.get(denialCause)).increment();
  }

  @Override
  public void onAuthenticated(long nanos) {
    authentication.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void addQueuedPasswords(int delta) {
    passwordsWaiting.add(delta);
  }

  @Override
  public void addTrackedAddresses(int delta) {
    addresses.add(delta);
  }

  @Override
  public void addQueuedPluginCalls(int delta) {
    pluginCallsWaiting.add(delta);
  }

  @Override
  public void addQueuedEvents(int delta) {
    eventsWaiting.add(delta);
  }

  @Override
  public void onEventDropped() {
    eventsDropped.increment();
  }

  @Override
  public void onFileReloaded(boolean loaded) {
    (loaded ? filesLoaded : filesRejected).increment();
  }

  @Override
  public ProviderMeter provider(ProviderInfo info) {
    return new ProviderMeters(meters, info);
  }

  @Override
  public void onFlappingBan() {
    flappingBans.increment();
  }
}
