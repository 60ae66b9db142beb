package io.fjordmq.broker.config;

import org.jspecify.annotations.Nullable;

/**
 * The effective value of a key on one node. Secrets are redacted.
 *
 * @param key the key, such as {@code sessionConfig.maxQueuedMessages}
 * @param value the effective value in the notation of the file; empty if it is empty
 * @param defaultValue the default in the same notation; for a limit of one tenant, the shared limit
 * @param origin where the value comes from
 * @param source the line of the file, the variable or the property that set the value; null for
 *     defaults and for values set through the API
 * @param reloadable whether the API can change the key at run time
 * @param apiValue the value set through the API, which is not in effect if the origin is another;
 *     null if there is none
 */
public record ConfigEntry(
    String key,
    String value,
    String defaultValue,
    ConfigOrigin origin,
    @Nullable String source,
    boolean reloadable,
    @Nullable String apiValue) {

  /** Whether the value differs from the default. */
  public boolean isChanged() {
    return !value.equals(defaultValue);
  }

  /** Whether the key is this one, or in the section of this name. */
  public boolean isIn(String section) {
    return key.equals(section) || key.startsWith(section + ".");
  }
}
