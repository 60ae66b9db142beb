package io.fjordmq.broker.security;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.Decision;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.broker.security.SecurityObserver.Attempt;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The access rights of one connected client. Only used on the event loop of the client's session.
 *
 * <p>The client's own {@link Permissions} decide first, then the ACL file, then the plugins. Only
 * plugins decide asynchronously. Decisions about publishing are cached for a bounded number of
 * topics and a bounded time. The cache is cleared when the ACL file changes or the client
 * re-authenticates.
 */
public final class ClientAccess {
  private final Authorization shared;
  private final Denials denials;
  private ClientInfo client;
  private @Nullable TopicRules own;
  // The ACL file on which the cached decisions are based.
  private @Nullable AclFile acl;
  private @Nullable TopicRules fromFile;
  private @Nullable Map<Topic, CachedDecisions> cache;
  private long cachedSince;
  // Clients mostly publish to the same topic repeatedly, and the dialect reuses the topic object.
  private @Nullable Topic lastTopic;
  private CachedDecisions last = new CachedDecisions();
  private @Nullable Topic lastRead;
  private boolean lastReadable;

  /** Cached decisions about one topic, by QoS and RETAIN. */
  private static final class CachedDecisions {
    private final @Nullable AccessDecision[] decisions =
        new AccessDecision[Qos.values().length * 2];
    private @Nullable Boolean readable;

    private static int index(Qos qos, boolean retain) {
      return qos.level() * 2 + (retain ? 1 : 0);
    }
  }

  ClientAccess(
      Authorization shared, Denials denials, ClientInfo client, @Nullable Permissions permissions) {
    this.shared = shared;
    this.denials = denials;
    this.client = client;
    onReauthenticated(client, permissions);
  }

  /** Called when the client has re-authenticated; discards earlier decisions. */
  public void onReauthenticated(ClientInfo info, @Nullable Permissions permissions) {
    client = info;
    own = permissions == null ? null : new TopicRules(permissions.rules());
    acl = null;
    fromFile = null;
    clearCache();
  }

  private void clearCache() {
    cache = null;
    lastTopic = null;
    last = new CachedDecisions();
    lastRead = null;
  }

  /** The client's identity. */
  public ClientInfo client() {
    return client;
  }

  /** Whether the client may do everything, so no checks are needed. */
  public boolean isUnrestricted() {
    return own == null && shared.isOpen();
  }

  /**
   * Returns the decision about publishing to a topic if it is already known; null if {@link
   * #evaluatePublish} must be called.
   *
   * @param nowMillis the wall clock time
   */
  public @Nullable AccessDecision mayPublish(Topic topic, Qos qos, boolean retain, long nowMillis) {
    refresh(nowMillis);
    if (topic != lastTopic) {
      last = cachedDecisions(topic);
      lastTopic = topic;
    }
    int index = CachedDecisions.index(qos, retain);
    AccessDecision known = last.decisions[index];
    if (known == null) {
      known = decideByRules(topic);
      last.decisions[index] = known;
    }
    return known;
  }

  private void refresh(long nowMillis) {
    if (shared.acl() != acl) {
      reloadRules();
      clearCache();
    }
    if (nowMillis - cachedSince >= shared.cacheMillis()) {
      clearCache();
      cachedSince = nowMillis;
    }
  }

  private void reloadRules() {
    AclFile now = shared.acl();
    acl = now;
    fromFile = now == null ? null : now.rulesOf(client.clientId(), client.userName());
  }

  private CachedDecisions cachedDecisions(Topic topic) {
    Map<Topic, CachedDecisions> map = cache;
    if (map == null) {
      map = new HashMap<>();
      cache = map;
    }
    CachedDecisions decisions = map.get(topic);
    if (decisions == null) {
      if (map.size() >= shared.cachedTopics()) {
        map.clear();
      }
      decisions = new CachedDecisions();
      map.put(topic, decisions);
    }
    return decisions;
  }

  /** Returns the decision of the rules; null if the plugins must decide. */
  private @Nullable AccessDecision decideByRules(Topic topic) {
    AccessDecision byOwn = decide(own, topic, true, "the client's permissions");
    if (byOwn != null) {
      return byOwn;
    }
    AccessDecision byFile = decide(fromFile, topic, true, Authorization.ACL_FILE);
    return byFile != null || shared.hasPlugins() ? byFile : AccessDecision.NOT_ALLOWED;
  }

  private static @Nullable AccessDecision decide(
      @Nullable TopicRules rules, Topic topic, boolean write, String name) {
    Decision decision = rules == null ? Decision.PASS : rules.decide(topic, write);
    return switch (decision) {
      case ALLOW -> AccessDecision.ALLOWED;
      case DENY -> AccessDecision.denied(name, DenialCause.DENIED);
      case PASS -> null;
    };
  }

  /**
   * Calls the plugins. The future completes on any thread; pass its value to {@link
   * #cacheDecision}.
   */
  public CompletableFuture<AccessDecision> evaluatePublish(Topic topic, Qos qos, boolean retain) {
    return shared.evaluate(client, new Action.Publish(topic, qos, retain, false));
  }

  /** Caches the result of {@link #evaluatePublish}. */
  public void cacheDecision(Topic topic, Qos qos, boolean retain, AccessDecision accessDecision) {
    // If a provider failed to decide, it is called again next time.
    if (accessDecision.allowed() || accessDecision.denialCause() == DenialCause.DENIED) {
      cachedDecisions(topic).decisions[CachedDecisions.index(qos, retain)] = accessDecision;
      lastTopic = null;
    }
  }

  /** Returns a decision that allows the action. */
  public CompletableFuture<AccessDecision> allowed() {
    return CompletableFuture.completedFuture(AccessDecision.ALLOWED);
  }

  /**
   * Decides about the will of a CONNECT; counts and logs a denial. Called before the session
   * exists, so it can be called on any thread.
   */
  public CompletableFuture<AccessDecision> mayPublishWill(Action.Publish will) {
    if (isUnrestricted()) {
      return allowed();
    }
    refresh(cachedSince);
    AccessDecision known = decideByRules(will.topic());
    CompletableFuture<AccessDecision> decision =
        known == null ? shared.evaluate(client, will) : CompletableFuture.completedFuture(known);
    return reportDenial(decision, Attempt.WILL, will);
  }

  private CompletableFuture<AccessDecision> reportDenial(
      CompletableFuture<AccessDecision> decision, Attempt attempt, Action action) {
    return decision.whenComplete(
        (accessDecision, error) -> {
          if (accessDecision != null && !accessDecision.allowed()) {
            denied(attempt, action.toString(), accessDecision);
          }
        });
  }

  /** Decides about a subscription; counts and logs a denial. The future completes on any thread. */
  public CompletableFuture<AccessDecision> maySubscribe(Action.Subscribe subscription) {
    return isUnrestricted()
        ? allowed()
        : reportDenial(decide(subscription), Attempt.SUBSCRIBE, subscription);
  }

  private CompletableFuture<AccessDecision> decide(Action.Subscribe subscription) {
    refresh(cachedSince);
    boolean partial = false;
    for (TopicRules rules : new @Nullable TopicRules[] {own, fromFile}) {
      if (rules == null) {
        continue;
      }
      TopicRules.Coverage readable = rules.readable(subscription.filter());
      if (readable == TopicRules.Coverage.ALL) {
        return CompletableFuture.completedFuture(AccessDecision.ALLOWED);
      }
      partial |= readable == TopicRules.Coverage.PARTIAL;
    }
    if (shared.hasPlugins()) {
      return shared.evaluate(client, subscription);
    }
    return CompletableFuture.completedFuture(
        partial ? AccessDecision.ALLOWED : AccessDecision.NOT_ALLOWED);
  }

  /**
   * Decides whether a message may be sent to the client. Plugins are not called, because they have
   * already decided about the subscription.
   */
  public boolean mayReceive(Topic topic) {
    if (shared.acl() != acl) {
      reloadRules();
      clearCache();
    }
    if (own == null && fromFile == null) {
      return true;
    }
    if (topic != lastRead) {
      CachedDecisions decisions = cachedDecisions(topic);
      if (decisions.readable == null) {
        decisions.readable = isReadable(topic);
      }
      lastRead = topic;
      lastReadable = decisions.readable;
    }
    return lastReadable;
  }

  private boolean isReadable(Topic topic) {
    AccessDecision accessDecision = decide(own, topic, false, "");
    if (accessDecision == null) {
      accessDecision = decide(fromFile, topic, false, "");
    }
    // A topic to which no rule applies can only match a subscription that a plugin has allowed.
    return accessDecision == null ? shared.hasPlugins() : accessDecision.allowed();
  }

  /** Counts and logs a denial. */
  public void denied(Attempt attempt, String action, AccessDecision accessDecision) {
    denials.denied(attempt, client, action, accessDecision);
  }
}
