package io.fjordmq.broker.config;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the records of a configuration out of the defaults and what was given. */
final class ConfigBinder {
  private final Map<String, Given> given;
  private final List<String> problems;

  /**
   * @param given by key; a section that was named without a value in it is there, too
   * @param problems receives a line for every value that is refused
   */
  ConfigBinder(Map<String, Given> given, List<String> problems) {
    this.given = given;
    this.problems = problems;
  }

  <T extends Record> T bind(Class<T> type, T defaults) {
    return type.cast(section("", defaults));
  }

  /** One section, whose keys begin so. */
  <T extends Record> T bind(String prefix, T defaults) {
    @SuppressWarnings("unchecked") // section() makes a record of the class of the defaults
    T bound = (T) section(prefix, defaults);
    return bound;
  }

  private Record section(String prefix, Record defaults) {
    RecordComponent[] components = defaults.getClass().getRecordComponents();
    @Nullable Object[] values = new @Nullable Object[components.length];
    for (int i = 0; i < components.length; i++) {
      RecordComponent component = components[i];
      String path = prefix + component.getName();
      Object standard = Records.read(defaults, component);
      if (standard instanceof Map<?, ?>) {
        values[i] = standard; // TenantKeys
      } else if (!(standard instanceof Record inner)) {
        values[i] = value(path, component.getType(), standard);
      } else if (component.isAnnotationPresent(OnlyIfNamed.class) && !isNamed(path)) {
        values[i] = null;
      } else {
        values[i] = section(path + ".", inner);
      }
    }
    try {
      return Records.make(defaults.getClass(), values);
    } catch (IllegalArgumentException e) {
      problems.add(refusal(prefix, components, e));
      return defaults;
    }
  }

  private Object value(String path, Class<?> type, Object standard) {
    Given entry = given.get(path);
    if (entry == null) {
      return standard;
    }
    try {
      return ValueText.parse(entry.text(), type);
    } catch (IllegalArgumentException e) {
      problems.add(entry.origin() + ": " + path + " " + e.getMessage());
      return standard;
    }
  }

  private boolean isNamed(String section) {
    return given.keySet().stream().anyMatch(k -> k.equals(section) || k.startsWith(section + "."));
  }

  /** A record's complaint begins with the name of the component it is about. */
  private String refusal(
      String prefix, RecordComponent[] components, IllegalArgumentException complaint) {
    String message = String.valueOf(complaint.getMessage());
    for (RecordComponent component : components) {
      Given culprit = given.get(prefix + component.getName());
      if (culprit != null && message.startsWith(component.getName() + " ")) {
        return culprit.origin() + ": " + prefix + message;
      }
    }
    return "configuration: " + prefix + message;
  }
}
