package io.fjordmq.broker.testing;

import io.fjordmq.broker.limits.ConnectionLimits;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.session.SessionObserver;
import io.fjordmq.broker.session.TenantLimits;
import io.fjordmq.broker.session.Tenants;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.testing.RecordBuilder;
import java.time.InstantSource;
import java.util.Map;

/** Settings with one value changed. */
public final class Settings {
  private Settings() {}

  public static SessionSettings with(String name, Object value) {
    return with(SessionSettings.defaults(), name, value);
  }

  /** One set of limits for all tenants. */
  public static Tenants forAll(SessionSettings settings, SessionObserver observer) {
    return new Tenants(
        new TenantLimits(settings, TenantSettings.DEFAULTS, InboxLimits.DEFAULT),
        Map.of(),
        ConnectionLimits.NONE,
        InstantSource.system(),
        observer);
  }

  public static <R extends Record> R with(R settings, String name, Object value) {
    return RecordBuilder.from(settings).with(name, value).build();
  }
}
