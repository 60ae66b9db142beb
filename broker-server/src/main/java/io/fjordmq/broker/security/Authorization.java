package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The authorization rules shared by all clients: first the ACL file, then the plugins in order.
 * Thread-safe.
 */
final class Authorization {
  static final String ACL_FILE = "securityConfig.aclFile";

  /** The decision of one plugin, and the resulting access decision. */
  private record PluginDecision(Decision decision, AccessDecision accessDecision) {}

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

  /** Whether clients are restricted by neither rules nor plugins. */
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

  /**
   * The current contents of the ACL file; null if no file is configured. Replaced when the file
   * changes.
   */
  @Nullable AclFile acl() {
    return acl == null ? null : acl.current();
  }

  /** Calls the plugins in order until one decides. */
  CompletableFuture<AccessDecision> evaluate(ClientInfo client, Action action) {
    return evaluate(client, action, 0);
  }

  private CompletableFuture<AccessDecision> evaluate(ClientInfo client, Action action, int index) {
    if (index == plugins.size()) {
      return CompletableFuture.completedFuture(AccessDecision.NOT_ALLOWED);
    }
    Provider<Authorizer> plugin = plugins.get(index);
    return plugin
        .invoke(authorizer -> authorizer.authorize(client, action))
        .handle((decision, error) -> decisionOf(plugin, client, action, decision, error))
        .thenCompose(
            pluginDecision ->
                pluginDecision.decision == Decision.PASS
                    ? evaluate(client, action, index + 1)
                    : CompletableFuture.completedFuture(pluginDecision.accessDecision));
  }

  private static PluginDecision decisionOf(
      Provider<Authorizer> plugin,
      ClientInfo client,
      Action action,
      @Nullable Decision decision,
      @Nullable Throwable error) {
    if (decision == Decision.ALLOW) {
      return new PluginDecision(decision, AccessDecision.ALLOWED);
    }
    if (decision == Decision.PASS) {
      return new PluginDecision(decision, AccessDecision.NOT_ALLOWED);
    }
    DenialCause denialCause =
        error == null ? DenialCause.DENIED : plugin.cause(error, client.clientId() + ": " + action);
    return new PluginDecision(Decision.DENY, AccessDecision.denied(plugin.name(), denialCause));
  }
}
