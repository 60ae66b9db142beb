package io.fjordmq.broker.config;

import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Every key there is, with its type and default, read off a record that holds the defaults. A
 * component that is a record is a section; any other is a key with a value.
 */
final class Schema {
  /** A key with a value. */
  record Key(String path, Class<?> type, Object defaultValue) {}

  private final Map<String, Key> keys = new LinkedHashMap<>();
  private final Set<String> sections = new LinkedHashSet<>();
  private final Map<String, String> byLowerCase = new LinkedHashMap<>();

  private Schema() {}

  static Schema of(Record defaults) {
    Schema schema = new Schema();
    schema.collect("", defaults);
    schema.keys.keySet().forEach(path -> schema.byLowerCase.put(lower(path), path));
    return schema;
  }

  /** Keys with values, in the order of the records. */
  Map<String, Key> keys() {
    return Collections.unmodifiableMap(keys);
  }

  Set<String> sections() {
    return Collections.unmodifiableSet(sections);
  }

  /** The key of this name whatever its case; null if there is none. */
  @Nullable String spelled(String anyCase) {
    return byLowerCase.get(lower(anyCase));
  }

  private void collect(String prefix, Record section) {
    for (RecordComponent component : section.getClass().getRecordComponents()) {
      String path = prefix + component.getName();
      Object value = Records.read(section, component);
      if (value instanceof Map<?, ?>) {
        sections.add(path); // what is below is named by the operator: TenantKeys
      } else if (value instanceof Record inner) {
        sections.add(path);
        collect(path + ".", inner);
      } else if (ValueText.canBe(component.getType())) {
        keys.put(path, new Key(path, component.getType(), value));
      } else {
        throw new IllegalStateException(path + " has a type that no configuration value can have");
      }
    }
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
