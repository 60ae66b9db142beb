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
 * The rights of one connected client. Belongs to the event loop of its session.
 *
 * <p>The client's own {@link Permissions} decide first, then the ACL file, then plugins. The first
 * two decide immediately. Decisions about publishing are cached for a bounded number of topics, for
 * a bounded time, and until the ACL file changes or the client authenticates again.
 */
public final class ClientAccess {
  private final Authorization shared;
  private final Denials denials;
  private ClientInfo client;
  private @Nullable TopicRules own;
  // The ACL file that the cached decisions are based on.
  private @Nullable AclFile acl;
  private @Nullable TopicRules fromFile;
  private @Nullable Map<Topic, CachedDecisions> cache;
  private long cachedSince;
  // Clients mostly publish to the same topic again, and the dialect reuses the topic object.
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

  /** The client has authenticated again; discards earlier decisions. */
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

  /** True if the client may do everything, so that no check is needed. */
  public boolean isUnlimited() {
    return own == null && shared.isOpen();
  }

  /**
   * The known decision about publishing to a topic; null if {@link #evaluatePublish} has to be
   * called.
   *
   * @param nowMillis wall clock
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

  /** The decision of the rules; null if plugins have to decide. */
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

  /** Calls the plugins and caches the decision; completes on any thread. */
  public CompletableFuture<AccessDecision> evaluatePublish(Topic topic, Qos qos, boolean retain) {
    return shared.evaluate(client, new Action.Publish(topic, qos, retain, false));
  }

  /** Caches the result of {@link #evaluatePublish}. */
  public void cacheDecision(Topic topic, Qos qos, boolean retain, AccessDecision accessDecision) {
    // A provider that failed to decide is called again next time.
    if (accessDecision.allowed() || accessDecision.denialCause() == DenialCause.DENIED) {
      cachedDecisions(topic).decisions[CachedDecisions.index(qos, retain)] = accessDecision;
      lastTopic = null;
    }
  }

  /** A decision that allows the action. */
  public CompletableFuture<AccessDecision> allowed() {
    return CompletableFuture.completedFuture(AccessDecision.ALLOWED);
  }

  /** Decides about the will of a CONNECT; counts and logs a denial. Any thread. */
  public CompletableFuture<AccessDecision> mayPublishWill(Action.Publish will) {
    if (isUnlimited()) {
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

  /** Decides about a subscription; counts and logs a denial. Completes on any thread. */
  public CompletableFuture<AccessDecision> subscribe(Action.Subscribe subscription) {
    return isUnlimited()
        ? allowed()
        : reportDenial(decide(subscription), Attempt.SUBSCRIBE, subscription);
  }

  private CompletableFuture<AccessDecision> decide(Action.Subscribe subscription) {
    refresh(cachedSince);
    boolean part = false;
    for (TopicRules rules : new @Nullable TopicRules[] {own, fromFile}) {
      if (rules == null) {
        continue;
      }
      TopicRules.Coverage readable = rules.readable(subscription.filter());
      if (readable == TopicRules.Coverage.ALL) {
        return CompletableFuture.completedFuture(AccessDecision.ALLOWED);
      }
      part |= readable == TopicRules.Coverage.PARTIAL;
    }
    if (shared.hasPlugins()) {
      return shared.evaluate(client, subscription);
    }
    return CompletableFuture.completedFuture(
        part ? AccessDecision.ALLOWED : AccessDecision.NOT_ALLOWED);
  }

  /**
   * Decides whether a message may be sent to the client. Plugins are not called, because they
   * decide about subscriptions only.
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
    // A topic without a rule can match only a subscription that a plugin allowed.
    return accessDecision == null ? shared.hasPlugins() : accessDecision.allowed();
  }

  /** Counts and logs a denial. */
  public void denied(Attempt attempt, String action, AccessDecision accessDecision) {
    denials.denied(attempt, client, action, accessDecision);
  }
}
