package io.fjordmq.broker.security;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.SessionLimits;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.SecurityObserver.Attempt;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The access rights of one connected client. Only used on the event loop of the client's session.
 *
 * <p>The client's own {@link Permissions} decide first, then the sources of {@link Authorization}
 * in order. Only plugins and services decide asynchronously. Decisions are cached for a bounded
 * number of topics and a bounded time. The cache is cleared when rules change or the client
 * re-authenticates.
 *
 * <p>A client that uses more topics than fit must not pay for replacing cached decisions all the
 * time, so decisions of rules are only cached while there is space. After many evaluations without
 * a place, the cache is emptied, because the client may use other topics now.
 */
public final class ClientAccess {
  private static final int MISSES_PER_TOPIC = 16;

  private final Authorization shared;
  private final Denials denials;
  private volatile ClientInfo client; // any thread may read it
  private LocalRules rules;
  private volatile IdentityCheck check; // any thread may call it
  private boolean superuser;
  private boolean unrestricted;
  private @Nullable Instant expiresAt;
  private SessionLimits limits = SessionLimits.NONE;
  private @Nullable Map<Topic, CachedDecisions> cache;
  private int misses; // since the cache is full
  private long cachedSince;
  // Clients mostly publish to the same topic repeatedly, and the dialect reuses the topic object.
  // Stored messages have an object each.
  private @Nullable Topic lastTopic;
  // For a topic that has no place in the cache.
  private @Nullable CachedDecisions uncached;
  private @Nullable CachedDecisions last; // the decisions about lastTopic
  private @Nullable Topic lastRead;
  private boolean lastReadable;

  /** Cached decisions about one topic, by QoS and RETAIN. */
  private static final class CachedDecisions {
    private final @Nullable AccessDecision[] decisions =
        new AccessDecision[Qos.values().length * 2];
    private @Nullable Boolean readable;

    private void clear() {
      Arrays.fill(decisions, null);
    }

    private static int index(Qos qos, boolean retain) {
      return qos.level() * 2 + (retain ? 1 : 0);
    }
  }

  ClientAccess(Authorization shared, Denials denials, Admitted admitted) {
    this.shared = shared;
    this.denials = denials;
    this.client = admitted.client();
    this.check = admitted.check();
    this.rules = LocalRules.of(shared, admitted);
    onReauthenticated(admitted);
  }

  /** Called when the client has re-authenticated; discards earlier decisions. */
  public void onReauthenticated(Admitted admitted) {
    client = admitted.client();
    check = admitted.check();
    superuser = admitted.identity().superuser();
    expiresAt = admitted.identity().expiresAt();
    limits = admitted.identity().limits();
    rules = LocalRules.of(shared, admitted);
    unrestricted = superuser || (!rules.hasOwn() && shared.isOpen());
    clearCache();
  }

  private void clearCache() {
    cache = null;
    misses = 0;
    lastTopic = null;
    last = null;
    lastRead = null;
  }

  /** The client's identity. Can be called on any thread. */
  public ClientInfo client() {
    return client;
  }

  /** When the client's identity ends; null for never. */
  public @Nullable Instant expiresAt() {
    return expiresAt;
  }

  /** The client's own limits, which replace those of its tenant. */
  public SessionLimits limits() {
    return limits;
  }

  /**
   * Returns why the client may no longer be connected, for its DISCONNECT and its history; null if
   * it may. Can be called on any thread.
   */
  public @Nullable String identityFault() {
    return check.fault();
  }

  /** Whether the client may do everything, so no checks are needed. */
  public boolean isUnrestricted() {
    return unrestricted;
  }

  /**
   * Returns the decision about publishing to a topic if it is already known; null if {@link
   * #evaluatePublish} must be called.
   *
   * @param nowMillis the wall clock time
   */
  public @Nullable AccessDecision mayPublish(Topic topic, Qos qos, boolean retain, long nowMillis) {
    if (superuser) {
      return AccessDecision.ALLOWED;
    }
    refresh(nowMillis);
    CachedDecisions cached = last;
    if (cached == null || topic != lastTopic) {
      if (cached == null || !topic.equals(lastTopic)) {
        cached = decisionsToPublish(topic);
        last = cached;
      }
      lastTopic = topic;
    }
    int index = CachedDecisions.index(qos, retain);
    AccessDecision known = cached.decisions[index];
    if (known == null) {
      known = rules.decidePublish(topic, qos, retain);
      cached.decisions[index] = known;
    }
    return known;
  }

  private void refresh(long nowMillis) {
    if (rules.refresh(nowMillis)) {
      clearCache();
    }
    if (nowMillis - cachedSince >= shared.cacheMillis()) {
      clearCache();
      cachedSince = nowMillis;
    }
  }

  /** The time, if anything depends on it. */
  private long now() {
    return shared.hasRules() ? shared.nowMillis() : cachedSince;
  }

  private CachedDecisions decisionsToPublish(Topic topic) {
    if (rules.hasRemote()) {
      return cachedDecisions(topic); // asking costs more than replacing
    }
    CachedDecisions place = placeOf(topic);
    if (place != null) {
      return place;
    }
    CachedDecisions decisions = uncached;
    if (decisions == null) {
      decisions = new CachedDecisions();
      uncached = decisions;
    }
    decisions.clear();
    return decisions;
  }

  /** Returns where decisions of rules about a topic are cached; null if they are not. */
  private @Nullable CachedDecisions placeOf(Topic topic) {
    if (rules.areCheap()) {
      return null;
    }
    Map<Topic, CachedDecisions> map = cache;
    if (map == null || map.size() < shared.cachedTopics()) {
      return cachedDecisions(topic);
    }
    CachedDecisions place = map.get(topic);
    if (place == null && ++misses > MISSES_PER_TOPIC * shared.cachedTopics()) {
      map.clear();
      misses = 0;
    }
    return place;
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

  /**
   * Asks the sources that do not decide immediately. The future completes on any thread; pass its
   * value to {@link #cacheDecision}.
   */
  public CompletableFuture<AccessDecision> evaluatePublish(Topic topic, Qos qos, boolean retain) {
    return rules.evaluator(client).evaluate(new Action.Publish(topic, qos, retain, false));
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
    refresh(now());
    return reportDenial(rules.evaluator(client).evaluate(will), Attempt.WILL, will);
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
    if (isUnrestricted()) {
      return allowed();
    }
    refresh(now());
    return reportDenial(
        rules.evaluator(client).evaluate(subscription), Attempt.SUBSCRIBE, subscription);
  }

  /**
   * Decides whether a message may be sent to the client. Plugins and services are not asked,
   * because they have already decided about the subscription.
   */
  public boolean mayReceive(Topic topic) {
    if (superuser || !rules.restrictsReading()) {
      return true;
    }
    if (rules.refresh(now())) {
      clearCache();
    }
    if (topic != lastRead) {
      if (!topic.equals(lastRead)) {
        lastReadable = isReadable(topic);
      }
      lastRead = topic;
    }
    return lastReadable;
  }

  private boolean isReadable(Topic topic) {
    // The results of services and plugins about publishing need the space more.
    CachedDecisions place = rules.hasRemote() ? null : placeOf(topic);
    if (place == null) {
      return rules.isReadable(topic);
    }
    Boolean readable = place.readable;
    if (readable == null) {
      readable = rules.isReadable(topic);
      place.readable = readable;
    }
    return readable;
  }

  /** Counts and logs a denial. */
  public void denied(Attempt attempt, String action, AccessDecision accessDecision) {
    denials.denied(attempt, client, action, accessDecision);
  }
}
