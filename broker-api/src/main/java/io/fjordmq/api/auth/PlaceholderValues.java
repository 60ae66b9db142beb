package io.fjordmq.api.auth;

import org.jspecify.annotations.Nullable;

/**
 * The values that a {@link Template} inserts.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PlaceholderValues {
  /** Returns the value of a placeholder; null if it has none. */
  @Nullable String apply(Placeholder placeholder);
}
