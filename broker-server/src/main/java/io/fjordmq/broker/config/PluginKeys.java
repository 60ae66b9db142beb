package io.fjordmq.broker.config;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * {@code plugins.NAME.KEY}: settings of a plugin, which knows its keys itself. In environment
 * variables they are in upper case, with {@code _} for {@code -}; so neither makes a difference.
 */
final class PluginKeys {
  private static final String SECTION = "plugins.";

  private final Map<String, String> values = new LinkedHashMap<>();

  /** True for whatever stands below {@code plugins}. */
  static boolean isOne(String key) {
    return key.regionMatches(true, 0, SECTION, 0, SECTION.length());
  }

  void add(ConfigValue entry) {
    if (!entry.section()) {
      String key = entry.key().substring(SECTION.length());
      values.put(key.toLowerCase(Locale.ROOT).replace('_', '-'), entry.text());
    }
  }

  /** Values by {@code name.key}; what was given later has won. */
  Map<String, String> values() {
    return values;
  }
}
