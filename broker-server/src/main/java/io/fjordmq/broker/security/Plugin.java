package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Extension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * A loaded and started plugin.
 *
 * @param name for operators, e.g. {@code plugin my-auth}
 * @param extensions what it provides
 * @param executor runs its code; rejects calls when too many wait
 */
public record Plugin(String name, List<? extends Extension> extensions, Executor executor) {

  public Plugin {
    extensions = List.copyOf(extensions);
  }

  /** Its extensions of one type, each with its executor and timeout. */
  <E extends Extension> List<Provider<E>> providers(Class<E> kind, Duration timeout) {
    return extensions.stream()
        .filter(kind::isInstance)
        .map(extension -> Provider.of(name, kind.cast(extension), executor, timeout))
        .toList();
  }
}
