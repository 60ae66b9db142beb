package io.fjordmq.broker.ops;

import io.fjordmq.broker.accounts.AccountObserver;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Metrics for the accounts of the REST API. */
final class AccountMeters implements AccountObserver {
  private final Map<Result, LongAdder> logins;
  private final LongAdder passwordsWaiting;

  AccountMeters(Meters meters) {
    logins = meters.counters(SecurityMetric.API_LOGINS, Result.class, Result::label);
    passwordsWaiting = meters.upDownCounter(SecurityMetric.API_PASSWORDS_WAITING);
  }

  @Override
  public void onLogin(Result result) {
    Objects.requireNonNull(logins.get(result)).increment();
  }

  @Override
  public void addQueuedPasswords(int delta) {
    passwordsWaiting.add(delta);
  }
}
