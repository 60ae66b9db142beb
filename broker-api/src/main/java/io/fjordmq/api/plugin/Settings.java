package io.fjordmq.api.plugin;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The section of a plugin in the configuration file. Names are found whatever their case, and with
 * {@code _} for {@code -}, so that every one can come from the environment.
 */
public final class Settings {
  private final String section;
  private final Map<String, String> values = new TreeMap<>();

  /**
   * Settings out of names and values.
   *
   * @param section path of the section, for messages: {@code plugins.my-plugin}
   */
  public Settings(String section, Map<String, String> values) {
    this.section = section;
    values.forEach((name, value) -> this.values.put(plain(name), value));
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Names that have a value, in lower case, with {@code -} for {@code _}. */
  public Set<String> names() {
    return Set.copyOf(values.keySet());
  }

  /**
   * A text that has to be there.
   *
   * @throws IllegalArgumentException if it is not
   */
  public String text(String name) {
    String value = find(name);
    if (value == null) {
      throw new IllegalArgumentException(section + "." + name + " is needed and not set");
    }
    return value;
  }

  /** A text, or the other if it is not there. */
  public String text(String name, String otherwise) {
    String value = find(name);
    return value == null ? otherwise : value;
  }

  /**
   * A whole number, or the other if it is not there.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public long number(String name, long otherwise) {
    String value = find(name);
    if (value == null) {
      return otherwise;
    }
    try {
      return Long.parseLong(value.replace("_", ""));
    } catch (NumberFormatException e) {
      throw wrong(name, "a whole number", value);
    }
  }

  /**
   * True or false, or the other if it is not there.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public boolean flag(String name, boolean otherwise) {
    String value = find(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
      throw wrong(name, "true or false", value);
    }
    return Boolean.parseBoolean(value);
  }

  private @Nullable String find(String name) {
    return values.get(plain(name));
  }

  private IllegalArgumentException wrong(String name, String wanted, String value) {
    return new IllegalArgumentException(
        section + "." + name + " must be " + wanted + ", not '" + value + "'");
  }
}
