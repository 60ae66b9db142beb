package io.fjordmq.broker.accounts;

import java.util.Locale;

/** Receives events of accounts, for metrics. Called on any thread; must only increment counters. */
public interface AccountObserver {
  /** Ignores all events. */
  AccountObserver NONE = new AccountObserver() {};

  /** The result of an attempt to log in or to use an API key, which is also a metric label. */
  enum Result {
    ACCEPTED,
    WRONG_CREDENTIALS,
    TOO_MANY_FAILURES,
    BUSY;

    /** The value of the metric label. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Credentials were checked, or refused without a check. */
  default void onLogin(Result result) {}

  /** The number of passwords waiting to be hashed has changed by this amount. */
  default void addQueuedPasswords(int delta) {}
}
