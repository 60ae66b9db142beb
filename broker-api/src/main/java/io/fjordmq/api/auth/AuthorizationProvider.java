package io.fjordmq.api.auth;

/**
 * Decides what clients may do: either a {@link RuleProvider}, whose rules the broker evaluates
 * itself, or an {@link ActionProvider}, which the broker asks about each action.
 *
 * @since 0.1.0
 */
public sealed interface AuthorizationProvider extends AutoCloseable
    permits RuleProvider, ActionProvider {

  /** Called once, after the last call. */
  @Override
  default void close() {}
}
