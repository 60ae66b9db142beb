package io.fjordmq.broker.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Creates the configuration records from the defaults and the given values. */
final class ConfigBinder {
  /** The maximum number of elements in a list; a larger index is most likely a typo. */
  private static final int MAX_ELEMENTS = 64;

  private final Map<String, ConfigValue> given;
  private final List<String> problems;
  private final Records records = new Records();

  /**
   * @param given values by key, including sections that are present but empty
   * @param problems receives one line for each invalid value
   */
  ConfigBinder(Map<String, ConfigValue> given, List<String> problems) {
    this.given = given;
    this.problems = problems;
  }

  <T extends Record> T bind(Class<T> type, T defaults) {
    return type.cast(section("", defaults));
  }

  /** Binds the section whose keys begin with the prefix. */
  <T extends Record> T bind(String prefix, T defaults) {
    @SuppressWarnings("unchecked") // section() creates a record of the class of the defaults
    T bound = (T) section(prefix, defaults);
    return bound;
  }

  private Record section(String prefix, Record defaults) {
    List<Records.Component> components = records.components(defaults.getClass());
    @Nullable Object[] values = new @Nullable Object[components.size()];
    for (int i = 0; i < components.size(); i++) {
      Records.Component component = components.get(i);
      String path = prefix + component.name();
      Object defaultValue = component.read(defaults);
      if (defaultValue instanceof Map<?, ?>) {
        values[i] = defaultValue; // bound separately, by TenantKeys and PluginKeys
      } else if (component.isFlattened()) {
        values[i] = section(prefix, (Record) defaultValue);
      } else if (defaultValue instanceof List<?> list
          && !list.isEmpty()
          && list.get(0) instanceof Record element) {
        values[i] = elements(path, element);
      } else if (!(defaultValue instanceof Record inner)) {
        values[i] = value(path, component.type(), defaultValue);
      } else {
        values[i] = section(path + ".", inner);
      }
    }
    try {
      return records.create(defaults.getClass(), values);
    } catch (IllegalArgumentException e) {
      problems.add(withOrigin(prefix, e));
      return defaults;
    }
  }

  private Object value(String path, Class<?> type, Object defaultValue) {
    ConfigValue entry = given.get(path);
    if (entry == null) {
      return defaultValue;
    }
    try {
      return ValueText.parse(entry.text(), type, path);
    } catch (IllegalArgumentException e) {
      problems.add(entry.origin() + ": " + entry.key() + " " + e.getMessage());
      return defaultValue;
    }
  }

  /** Binds the elements of a list of sections. The elements must be numbered without gaps. */
  private List<Record> elements(String list, Record defaults) {
    Pattern numbered = Pattern.compile(Pattern.quote(list) + "\\.([0-9]{1,6})(\\..*)?");
    TreeMap<Integer, ConfigValue> named = new TreeMap<>();
    given.forEach(
        (key, entry) -> {
          if (!key.startsWith(list)) {
            return;
          }
          Matcher matcher = numbered.matcher(key);
          if (matcher.matches()) {
            named.putIfAbsent(Integer.parseInt(matcher.group(1)), entry);
          }
        });
    List<Record> elements = new ArrayList<>();
    for (Map.Entry<Integer, ConfigValue> element : named.entrySet()) {
      int number = element.getKey();
      if (number >= MAX_ELEMENTS || number != elements.size()) {
        String gap =
            " is set but "
                + list
                + "."
                + elements.size()
                + " is not; number the elements from 0 without gaps";
        problems.add(
            element.getValue().origin()
                + ": "
                + list
                + "."
                + number
                + (number < MAX_ELEMENTS
                    ? gap
                    : " exceeds the limit of " + MAX_ELEMENTS + " elements"));
        return elements;
      }
      elements.add(section(list + "." + number + ".", defaults));
    }
    return List.copyOf(elements);
  }

  /**
   * Prepends the origin of the value to a record's validation message, which begins with the
   * component name.
   */
  private String withOrigin(String prefix, IllegalArgumentException failure) {
    String message = String.valueOf(failure.getMessage());
    String name = message.split(" ", 2)[0];
    ConfigValue entry = given.get(prefix + name);
    return entry == null
        ? "configuration: " + prefix + message
        : entry.origin() + ": " + entry.key() + message.substring(name.length());
  }
}
