package io.fjordmq.broker.net;

import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.session.SessionObserver;
import io.fjordmq.broker.session.SessionSettings;
import io.fjordmq.broker.session.TenantLimits;
import io.fjordmq.broker.session.Tenants;
import io.fjordmq.inbox.InboxLimits;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
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
        observer);
  }

  public static <R extends Record> R with(R settings, String name, Object value) {
    RecordComponent[] components = settings.getClass().getRecordComponents();
    try {
      Object[] values = new Object[components.length];
      for (int i = 0; i < values.length; i++) {
        boolean changed = components[i].getName().equals(name);
        values[i] = changed ? value : components[i].getAccessor().invoke(settings);
      }
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      @SuppressWarnings("unchecked")
      R made = (R) settings.getClass().getDeclaredConstructor(types).newInstance(values);
      return made;
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
