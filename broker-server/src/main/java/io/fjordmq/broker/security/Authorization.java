package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What all clients share in deciding what they may do: the ACL file, then plugins in their order.
 * Thread-safe.
 */
final class Authorization {
  static final String ACL_FILE = "securityConfig.aclFile";

  /** One of the clients' decisions, made elsewhere. */
  private record Turn(Decision decision, AccessDecision accessDecision) {}

  private final @Nullable WatchedFile<AclFile> acl;
  private final List<Provider<Authorizer>> plugins;
  private final int cachedTopics;
  private final long cacheMillis;

  Authorization(
      @Nullable WatchedFile<AclFile> acl,
      List<Provider<Authorizer>> plugins,
      SecuritySettings settings) {
    this.acl = acl;
    this.plugins = plugins;
    this.cachedTopics = settings.cachedTopics();
    this.cacheMillis = settings.cacheTime().toMillis();
  }

  /** True if nothing here forbids anything. */
  boolean isOpen() {
    return acl == null && plugins.isEmpty();
  }

  boolean hasPlugins() {
    return !plugins.isEmpty();
  }

  int cachedTopics() {
    return cachedTopics;
  }

  long cacheMillis() {
    return cacheMillis;
  }

  /** What the ACL file says now; null if there is none. Changes when the file does. */
  @Nullable AclFile acl() {
    return acl == null ? null : acl.current();
  }

  /** Asks the plugins. */
  CompletableFuture<AccessDecision> ask(ClientInfo client, Action action) {
    return ask(client, action, 0);
  }

  private CompletableFuture<AccessDecision> ask(ClientInfo client, Action action, int index) {
    if (index == plugins.size()) {
      return CompletableFuture.completedFuture(AccessDecision.NOBODY_ALLOWED);
    }
    Provider<Authorizer> plugin = plugins.get(index);
    return plugin
        .ask(authorizer -> authorizer.authorize(client, action))
        .handle((decision, error) -> turn(plugin, client, action, decision, error))
        .thenCompose(
            turn ->
                turn.decision == Decision.PASS
                    ? ask(client, action, index + 1)
                    : CompletableFuture.completedFuture(turn.accessDecision));
  }

  private static Turn turn(
      Provider<Authorizer> plugin,
      ClientInfo client,
      Action action,
      @Nullable Decision decision,
      @Nullable Throwable error) {
    if (decision == Decision.ALLOW) {
      return new Turn(decision, AccessDecision.ALLOWED);
    }
    if (decision == Decision.PASS) {
      return new Turn(decision, AccessDecision.NOBODY_ALLOWED);
    }
    DenialCause denialCause =
        error == null ? DenialCause.DENIED : plugin.cause(error, client.clientId() + ": " + action);
    return new Turn(Decision.DENY, AccessDecision.denied(plugin.name(), denialCause));
  }
}
