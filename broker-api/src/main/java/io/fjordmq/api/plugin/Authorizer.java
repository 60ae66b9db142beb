package io.fjordmq.api.plugin;

import java.util.concurrent.CompletionStage;

/**
 * Says what a client may do. Asked after the {@link Permissions} of the client, one after the other
 * until one allows or denies; what all pass on is denied. Where there is no authorizer at all,
 * clients without permissions of their own may do everything.
 */
public interface Authorizer extends Extension {

  /**
   * Decides about an action. It may block or complete the answer later, within {@code
   * securityConfig.providerTimeout}; an exception, a failed stage or a late one denies.
   *
   * <p>Answers about publishing are remembered while the client is connected, for {@code
   * securityConfig.cacheTime} at most.
   */
  CompletionStage<Decision> authorize(ClientInfo client, Action action);
}
