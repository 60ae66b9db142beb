package io.fjordmq.broker.security;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;

/** Default settings with some values changed. */
public final class TestSettings {
  private TestSettings() {}

  /**
   * @param changes alternating names and values: name, value, name, value, …
   */
  public static SecuritySettings with(Object... changes) {
    RecordComponent[] components = SecuritySettings.class.getRecordComponents();
    List<Object> named = Arrays.asList(changes);
    try {
      Object[] values = new Object[components.length];
      for (int i = 0; i < values.length; i++) {
        int at = named.indexOf(components[i].getName());
        values[i] =
            at < 0
                ? components[i].getAccessor().invoke(SecuritySettings.DEFAULTS)
                : changes[at + 1];
      }
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      return SecuritySettings.class.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
