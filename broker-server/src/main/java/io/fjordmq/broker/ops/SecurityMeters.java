package io.fjordmq.broker.ops;

import io.fjordmq.broker.security.DenialCause;
import io.fjordmq.broker.security.SecurityObserver;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of authentication, access rules and plugins. */
final class SecurityMeters implements SecurityObserver {
  private final Map<Attempt, Map<DenialCause, LongAdder>> denials = new EnumMap<>(Attempt.class);
  private final Timer authentication;
  private final LongAdder passwordsWaiting;
  private final LongAdder addresses;
  private final LongAdder pluginCallsWaiting;
  private final LongAdder eventsWaiting;
  private final LongAdder eventsDropped;
  private final LongAdder filesTaken;
  private final LongAdder filesRefused;

  SecurityMeters(Meters meters) {
    for (Attempt attempt : Attempt.values()) {
      Map<DenialCause, LongAdder> causes = new EnumMap<>(DenialCause.class);
      for (DenialCause denialCause : DenialCause.values()) {
        causes.put(
            denialCause, meters.counter(Metric.DENIALS, attempt.label(), denialCause.label()));
      }
      denials.put(attempt, causes);
    }
    authentication = meters.timer(Metric.AUTHENTICATION);
    passwordsWaiting = meters.level(Metric.PASSWORDS_WAITING);
    addresses = meters.level(Metric.LOGIN_ADDRESSES);
    pluginCallsWaiting = meters.level(Metric.PLUGIN_CALLS_WAITING);
    eventsWaiting = meters.level(Metric.EVENTS_WAITING);
    eventsDropped = meters.counter(Metric.EVENTS_DROPPED);
    filesTaken = meters.counter(Metric.SECURITY_FILES_READ, "taken");
    filesRefused = meters.counter(Metric.SECURITY_FILES_READ, "refused");
  }

  @Override
  public void denied(Attempt attempt, DenialCause denialCause) {
    Map<DenialCause, LongAdder> causes = Objects.requireNonNull(denials.get(attempt));
    Objects.requireNonNull(causes.get(denialCause)).increment();
  }

  @Override
  public void authenticated(long nanos) {
    authentication.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void passwordsWaiting(int delta) {
    passwordsWaiting.add(delta);
  }

  @Override
  public void addressesRemembered(int delta) {
    addresses.add(delta);
  }

  @Override
  public void pluginCallsWaiting(int delta) {
    pluginCallsWaiting.add(delta);
  }

  @Override
  public void eventsWaiting(int delta) {
    eventsWaiting.add(delta);
  }

  @Override
  public void eventDropped() {
    eventsDropped.increment();
  }

  @Override
  public void fileRead(boolean taken) {
    (taken ? filesTaken : filesRefused).increment();
  }
}
