package io.fjordmq.broker.net;

import io.fjordmq.broker.session.SessionSettings;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;

/** Default settings with one value changed. */
final class Settings {
  private Settings() {}

  static SessionSettings with(String name, Object value) {
    return with(SessionSettings.defaults(), name, value);
  }

  static SessionSettings with(SessionSettings settings, String name, Object value) {
    RecordComponent[] components = SessionSettings.class.getRecordComponents();
    try {
      Object[] values = new Object[components.length];
      for (int i = 0; i < values.length; i++) {
        boolean changed = components[i].getName().equals(name);
        values[i] = changed ? value : components[i].getAccessor().invoke(settings);
      }
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      return SessionSettings.class.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
