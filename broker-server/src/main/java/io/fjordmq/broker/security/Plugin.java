package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Extension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * A plugin that is loaded and started.
 *
 * @param name for operators, e.g. {@code plugin my-auth}
 * @param extensions it offers
 * @param executor its code runs on; refuses when too many calls wait
 */
public record Plugin(String name, List<? extends Extension> extensions, Executor executor) {

  public Plugin {
    extensions = List.copyOf(extensions);
  }

  /** Its extensions of one kind, fenced in. */
  <E extends Extension> List<Provider<E>> providers(Class<E> kind, Duration timeout) {
    return extensions.stream()
        .filter(kind::isInstance)
        .map(extension -> Provider.of(name, kind.cast(extension), executor, timeout))
        .toList();
  }
}
