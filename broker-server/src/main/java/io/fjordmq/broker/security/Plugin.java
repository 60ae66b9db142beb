package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Extension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * A loaded and started plugin.
 *
 * @param name the name shown to operators, e.g. {@code plugin my-auth}
 * @param extensions the extensions that the plugin provides
 * @param executor runs the plugin's code; rejects calls when too many are waiting
 */
public record Plugin(String name, List<? extends Extension> extensions, Executor executor) {

  public Plugin {
    extensions = List.copyOf(extensions);
  }

  /** Returns the plugin's extensions of one type, each with the plugin's executor and a timeout. */
  <E extends Extension> List<Provider<E>> providers(Class<E> kind, Duration timeout) {
    return extensions.stream()
        .filter(kind::isInstance)
        .map(extension -> Provider.of(name, kind.cast(extension), executor, timeout))
        .toList();
  }
}
