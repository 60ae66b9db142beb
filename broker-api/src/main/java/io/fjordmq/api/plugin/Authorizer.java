package io.fjordmq.api.plugin;

import java.util.concurrent.CompletionStage;

/**
 * Decides what a client may do. If the client's {@link Permissions} have no matching rule, the
 * broker calls the authorizers in order until one allows or denies. If all of them pass, the action
 * is denied. Without any authorizer, clients that have no permissions of their own may do
 * everything.
 *
 * @since 0.1.0
 */
public interface Authorizer extends Extension {

  /**
   * Allows or denies an action. The method may block, or complete the stage later, within {@code
   * securityConfig.providerTimeout}. An exception, a failed stage or a timeout denies the action.
   *
   * <p>Decisions about publishing are cached while the client is connected, for at most {@code
   * securityConfig.cacheTime}.
   */
  CompletionStage<Decision> authorize(ClientInfo client, Action action);
}
