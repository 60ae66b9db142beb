package io.fjordmq.broker.config;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The keys {@code plugins.NAME.KEY}, which each plugin validates itself. Because keys may come from
 * environment variables, case is ignored and {@code _} is equivalent to {@code -}.
 */
final class PluginKeys {
  private static final String SECTION = "plugins.";

  private final Map<String, String> values = new LinkedHashMap<>();

  /** Whether the key is in the section {@code plugins}. */
  static boolean isPluginKey(String key) {
    return key.regionMatches(true, 0, SECTION, 0, SECTION.length());
  }

  /** Adds a value, or does nothing for a section; returns the normalized key. */
  String add(ConfigValue entry) {
    String key = entry.key().substring(SECTION.length()).toLowerCase(Locale.ROOT).replace('_', '-');
    if (!entry.section()) {
      values.put(key, entry.text());
    }
    return key;
  }

  /** The values by {@code name.key}; the last one added wins. */
  Map<String, String> values() {
    return values;
  }
}
