package io.fjordmq.api.plugin;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The section of a plugin in the configuration file. Names are case-insensitive, and {@code _} is
 * equivalent to {@code -}, so that every setting can come from an environment variable.
 *
 * @since 0.1.0
 */
public final class Settings {
  private final String section;
  private final Map<String, String> values = new TreeMap<>();

  /**
   * Creates settings from names and values.
   *
   * @param section path of the section for error messages, e.g. {@code plugins.my-plugin}
   */
  public Settings(String section, Map<String, String> values) {
    this.section = section;
    values.forEach((name, value) -> this.values.put(normalize(name), value));
  }

  private static String normalize(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the names of all settings, in lower case and with {@code -} for {@code _}. */
  public Set<String> names() {
    return Set.copyOf(values.keySet());
  }

  /**
   * Returns a required setting.
   *
   * @throws IllegalArgumentException if it is not set
   */
  public String text(String name) {
    String value = find(name);
    if (value == null) {
      throw new IllegalArgumentException(section + "." + name + " is required but not set");
    }
    return value;
  }

  /** Returns a setting, or the default if it is not set. */
  public String text(String name, String defaultValue) {
    String value = find(name);
    return value == null ? defaultValue : value;
  }

  /**
   * Returns an integer setting, or the default if it is not set.
   *
   * @throws IllegalArgumentException if the value is not an integer
   */
  public long number(String name, long defaultValue) {
    String value = find(name);
    if (value == null) {
      return defaultValue;
    }
    try {
      return Long.parseLong(value.replace("_", ""));
    } catch (NumberFormatException e) {
      throw invalid(name, "a whole number", value);
    }
  }

  /**
   * Returns a boolean setting, or the default if it is not set.
   *
   * @throws IllegalArgumentException if the value is neither true nor false
   */
  public boolean flag(String name, boolean defaultValue) {
    String value = find(name);
    if (value == null) {
      return defaultValue;
    }
    if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
      throw invalid(name, "true or false", value);
    }
    return Boolean.parseBoolean(value);
  }

  private @Nullable String find(String name) {
    return values.get(normalize(name));
  }

  private IllegalArgumentException invalid(String name, String expected, String value) {
    return new IllegalArgumentException(
        section + "." + name + " must be " + expected + ", not '" + value + "'");
  }
}
