package io.fjordmq.api.auth;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one provider. The values of a map have keys such as {@code headers.x-token}. All
 * exceptions are {@link IllegalArgumentException}s whose message begins with the full key.
 * Immutable.
 *
 * @since 0.1.0
 */
public final class ProviderSettings {
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,12}) *(ms|s|min|h|d)");
  private static final long MAX_SECRET_BYTES = 65_536;
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  private final String path;
  private final Map<String, String> values;

  /**
   * @param path the section, e.g. {@code securityConfig.authentication.0}
   * @param values the values by key
   */
  public ProviderSettings(String path, Map<String, String> values) {
    this.path = path;
    this.values = new LinkedHashMap<>(values);
  }

  /** The section, e.g. {@code securityConfig.authentication.0}. */
  public String path() {
    return path;
  }

  /** Whether the key has a value. */
  public boolean isSet(String key) {
    String value = values.get(key);
    return value != null && !value.isEmpty();
  }

  /** Returns a required value. */
  public String text(String key) {
    String value = values.get(key);
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException(path + "." + key + " is required but not set");
    }
    return value;
  }

  /** Returns a value, or the default if it is not set. */
  public String text(String key, String defaultValue) {
    return isSet(key) ? values.getOrDefault(key, defaultValue) : defaultValue;
  }

  /** Returns one of several words, ignoring case; the first one is the default. */
  public String oneOf(String key, String... words) {
    String value = text(key, words[0]);
    for (String word : words) {
      if (word.equalsIgnoreCase(value)) {
        return word;
      }
    }
    throw invalid(key, "one of " + String.join(", ", words), value);
  }

  /** Returns a whole number. */
  public int number(String key, int defaultValue, int min, int max) {
    String value = text(key, Integer.toString(defaultValue));
    try {
      int number = Integer.parseInt(value.replace("_", ""));
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw invalid(key, "a whole number between " + min + " and " + max, value);
    }
    throw invalid(key, "between " + min + " and " + max, value);
  }

  /** Returns true or false. */
  public boolean flag(String key, boolean defaultValue) {
    return oneOf(key, defaultValue ? "true" : "false", "true", "false").equals("true");
  }

  /** Returns a duration such as {@code 500 ms}. */
  public Duration duration(String key, Duration defaultValue, Duration min, Duration max) {
    if (!isSet(key)) {
      return defaultValue;
    }
    String value = text(key);
    Matcher matcher = DURATION.matcher(value.strip());
    Long unit = matcher.matches() ? MILLIS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw invalid(key, "a duration such as 500 ms, 10 s, 5 min or 2 h", value);
    }
    long millis = Math.multiplyExact(Long.parseLong(matcher.group(1)), (long) unit);
    if (millis < min.toMillis() || millis > max.toMillis()) {
      throw invalid(key, "between " + show(min) + " and " + show(max), value);
    }
    return Duration.ofMillis(millis);
  }

  private static String show(Duration duration) {
    long millis = duration.toMillis();
    return millis % 60_000 == 0 && millis > 0
        ? millis / 60_000 + " min"
        : millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
  }

  /** Returns the values of a list, which are separated by commas; empty if it is not set. */
  public List<String> list(String key) {
    return Arrays.stream(text(key, "").split(",", -1))
        .map(String::strip)
        .filter(value -> !value.isEmpty())
        .toList();
  }

  /** Returns the keys and values of a map in the order in which they were set. */
  public Map<String, String> map(String key) {
    Map<String, String> found = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> {
          if (name.startsWith(key + ".")) {
            found.put(name.substring(key.length() + 1), value);
          }
        });
    return found;
  }

  /**
   * Returns a secret: the value of the key, or the first line of the file that the key with the
   * suffix {@code File} names. Null if neither is set.
   */
  public @Nullable String secret(String key) {
    String fileKey = key + "File";
    if (!isSet(fileKey)) {
      return isSet(key) ? text(key) : null;
    }
    if (isSet(key)) {
      throw new IllegalArgumentException(
          path + "." + fileKey + " cannot be combined with " + path + "." + key + "; remove one");
    }
    String text = new String(file(fileKey, MAX_SECRET_BYTES), StandardCharsets.UTF_8);
    String line = text.lines().findFirst().orElse("");
    if (line.isEmpty()) {
      throw new IllegalArgumentException(
          path + "." + fileKey + ": the file is empty: " + text(fileKey));
    }
    return line;
  }

  /** Returns the contents of the file that a required key names. */
  public byte[] file(String key, long maxBytes) {
    Path file = Path.of(text(key));
    try {
      if (!Files.exists(file)) {
        throw new IllegalArgumentException(
            path + "." + key + ": file not found: " + file.toAbsolutePath());
      }
      if (Files.size(file) > maxBytes) {
        throw new IllegalArgumentException(
            path + "." + key + ": the file has more than " + maxBytes + " bytes: " + file);
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(path + "." + key + ": cannot read the file: " + e, e);
    }
  }

  /** Returns the template that a required key contains. */
  public Template template(String key, String value, String letters) {
    try {
      return Template.parse(value, letters);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(path + "." + key + ": " + e.getMessage(), e);
    }
  }

  /** Returns the exception for an invalid value. */
  public IllegalArgumentException invalid(String key, String expected, String value) {
    return new IllegalArgumentException(
        path + "." + key + " must be " + expected + ", not '" + value + "'");
  }

  /** Omits the values, which can be secret. */
  @Override
  public String toString() {
    return path + " " + values.keySet().toString().toLowerCase(Locale.ROOT);
  }
}
