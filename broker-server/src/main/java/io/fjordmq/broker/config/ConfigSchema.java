package io.fjordmq.broker.config;

import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All keys with their types and defaults, derived from a record that holds the defaults. A
 * component that is a record becomes a section, a list that contains one record becomes a
 * repeatable section, and any other component becomes a key with a value.
 */
final class ConfigSchema {
  /** A key with a value. */
  record Key(String path, Class<?> type, Object defaultValue) {}

  private static final Pattern NUMBERED = Pattern.compile("([^0-9]*)\\.([0-9]+)(\\..*)?");

  private final Map<String, Key> keys = new LinkedHashMap<>();
  private final Set<String> sections = new LinkedHashSet<>();
  private final Set<String> lists = new LinkedHashSet<>();
  private final Map<String, String> byLowerCase = new LinkedHashMap<>();

  private ConfigSchema() {}

  static ConfigSchema of(Record defaults) {
    ConfigSchema schema = new ConfigSchema();
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

  /** Finds a key by name, ignoring case; null if there is none. */
  @Nullable String findIgnoringCase(String anyCase) {
    Matcher matcher = NUMBERED.matcher(anyCase);
    if (!matcher.matches() || matcher.group(3) == null) {
      return byLowerCase.get(lower(anyCase));
    }
    String unnumbered = byLowerCase.get(lower(matcher.group(1) + matcher.group(3)));
    String list = unnumbered == null ? null : listOf(unnumbered);
    return list == null || unnumbered == null || list.length() != matcher.group(1).length()
        ? null
        : list + "." + matcher.group(2) + unnumbered.substring(list.length());
  }

  /** Returns the key without the index of its list element. */
  String withoutIndex(String key) {
    Matcher matcher = NUMBERED.matcher(key);
    if (matcher.matches() && lists.contains(matcher.group(1))) {
      return matcher.group(1) + (matcher.group(3) == null ? "" : matcher.group(3));
    }
    return key;
  }

  /** Returns the key with the index of its list element, which defaults to 0. */
  String withIndex(String key) {
    String list = listOf(key);
    return list == null || !withoutIndex(key).equals(key)
        ? key
        : list + ".0" + key.substring(list.length());
  }

  private @Nullable String listOf(String key) {
    for (String list : lists) {
      if (key.equals(list) || key.startsWith(list + ".")) {
        return list;
      }
    }
    return null;
  }

  private void collect(String prefix, Record section) {
    for (RecordComponent component : section.getClass().getRecordComponents()) {
      String path = prefix + component.getName();
      Object value = Records.read(section, component);
      if (value instanceof Map<?, ?>) {
        sections.add(path); // operators choose its keys; see TenantKeys and PluginKeys
      } else if (component.isAnnotationPresent(Flattened.class)) {
        collect(prefix, (Record) value);
      } else if (value instanceof List<?> list
          && !list.isEmpty()
          && list.get(0) instanceof Record element) {
        sections.add(path);
        lists.add(path);
        collect(path + ".", element);
      } else if (value instanceof Record inner) {
        sections.add(path);
        collect(path + ".", inner);
      } else if (ValueText.isSupported(component.getType())) {
        keys.put(path, new Key(path, component.getType(), value));
      } else {
        throw new IllegalStateException(path + " has an unsupported type: " + component.getType());
      }
    }
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
