package io.fjordmq.broker.config;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Recognizes keys whose values are secret, and redacts these values. */
final class SecretKeys {
  /** The replacement for a secret. */
  static final String REDACTED = "******";

  /** Keys that end in {@code File} name a file and are not secret. Headers carry credentials. */
  private static final List<String> ENDINGS =
      List.of("password", "secret", "passphrase", "token", "headers");

  /** Plugins choose their keys, so any of these words in a name makes its value secret. */
  private static final List<String> PLUGIN_WORDS =
      List.of("pass", "pwd", "secret", "token", "credential", "key", "header", "authorization");

  private static final Pattern USER_INFO = Pattern.compile("://[^/@\\s]+@");

  private SecretKeys() {}

  /** Returns the value as it may be shown. */
  static String redact(String key, String value) {
    if (value.isEmpty()) {
      return value; // shows that the secret is not set
    }
    return isSecret(key) ? REDACTED : USER_INFO.matcher(value).replaceAll("://" + REDACTED + "@");
  }

  private static boolean isSecret(String key) {
    String name = key.substring(key.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return PluginKeys.isPluginKey(key)
        ? PLUGIN_WORDS.stream().anyMatch(name::contains) && !name.endsWith("file")
        : ENDINGS.stream().anyMatch(name::endsWith);
  }
}
