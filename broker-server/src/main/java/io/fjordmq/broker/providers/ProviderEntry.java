package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ProviderSettings;
import java.util.Map;

/**
 * One element of {@code securityConfig.authentication} or {@code .authorization}.
 *
 * @param chain the list
 * @param index position in the list, from 0
 * @param type the kind of provider, e.g. {@code redis}
 * @param values the values by key, with the names of keys as documented; keys in a map follow a dot
 */
public record ProviderEntry(Chain chain, int index, String type, Map<String, String> values) {
  /** The two lists of providers. */
  public enum Chain {
    AUTHENTICATION("authentication"),
    AUTHORIZATION("authorization");

    private final String key;

    Chain(String key) {
      this.key = key;
    }

    /** The name of the list, which is also a metric label. */
    public String label() {
      return key;
    }
  }

  public ProviderEntry {
    values = Map.copyOf(values);
  }

  /** The settings, with the path of this element for messages. */
  public ProviderSettings settings() {
    return new ProviderSettings(path(), values);
  }

  /** The path of the element, e.g. {@code securityConfig.authentication.0}. */
  public String path() {
    return "securityConfig." + chain.key + "." + index;
  }

  /** Omits the values, which can be secret. */
  @Override
  public String toString() {
    return path() + " " + type;
  }
}
