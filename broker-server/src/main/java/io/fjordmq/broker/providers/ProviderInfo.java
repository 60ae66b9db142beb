package io.fjordmq.broker.providers;

import io.fjordmq.broker.providers.ProviderEntry.Chain;
import java.util.Set;

/**
 * A configured provider, for operators.
 *
 * @param chain the list that it is in
 * @param name unique within the list; also a metric label
 * @param type the kind of provider
 * @param enabled whether it is used
 * @param listeners the listeners whose clients it serves; empty for all
 * @param ignoreErrors whether the next provider decides if this one cannot respond
 */
public record ProviderInfo(
    Chain chain,
    String name,
    String type,
    boolean enabled,
    Set<String> listeners,
    boolean ignoreErrors) {

  public ProviderInfo {
    listeners = Set.copyOf(listeners);
  }

  /** The name in logs, events and denials, e.g. {@code authentication redis}. */
  public String displayName() {
    return chain.label() + " " + name;
  }

  /** Whether the provider serves clients of the listener. */
  public boolean serves(String listener) {
    return enabled && (listeners.isEmpty() || listeners.contains(listener));
  }
}
