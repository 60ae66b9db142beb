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
 * What one connected client may do. Belongs to the event loop of its session.
 *
 * <p>Asked in this order: the client's own {@link Permissions}, the ACL file, plugins. The first
 * two answer at once. Decisions about publishing are remembered for a bounded number of topics, for
 * a bounded time and until the ACL file changes or the client authenticates again.
 */
public final class ClientAccess {
  private final Authorization shared;
  private final Denials denials;
  private ClientInfo client;
  private @Nullable TopicRules own;
  // Of the ACL file as it was when they were made.
  private @Nullable AclFile acl;
  private @Nullable TopicRules fromFile;
  private @Nullable Map<Topic, Remembered> remembered;
  private long rememberedSince;
  // A client mostly publishes to the topic it published to last, and its dialect keeps the object.
  private @Nullable Topic lastTopic;
  private Remembered last = new Remembered();
  private @Nullable Topic lastRead;
  private boolean lastReadable;

  /** Rulings about one topic, by QoS and RETAIN. */
  private static final class Remembered {
    private final @Nullable AccessDecision[] rulings = new AccessDecision[Qos.values().length * 2];
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
    become(client, permissions);
  }

  /** The client has authenticated again: what was decided before is forgotten. */
  public void become(ClientInfo info, @Nullable Permissions permissions) {
    client = info;
    own = permissions == null ? null : new TopicRules(permissions.rules());
    acl = null;
    fromFile = null;
    forget();
  }

  private void forget() {
    remembered = null;
    lastTopic = null;
    last = new Remembered();
    lastRead = null;
  }

  /** Who the client is. */
  public ClientInfo client() {
    return client;
  }

  /** True if this client may do everything, so that nothing has to be asked. */
  public boolean isUnlimited() {
    return own == null && shared.isOpen();
  }

  /**
   * What is known about publishing to a topic; null if {@link #askPublish} has to be called.
   *
   * @param nowMillis wall clock
   */
  public @Nullable AccessDecision mayPublish(Topic topic, Qos qos, boolean retain, long nowMillis) {
    refresh(nowMillis);
    if (topic != lastTopic) {
      last = rememberedOf(topic);
      lastTopic = topic;
    }
    int index = Remembered.index(qos, retain);
    AccessDecision known = last.rulings[index];
    if (known == null) {
      known = atOnce(topic);
      last.rulings[index] = known;
    }
    return known;
  }

  private void refresh(long nowMillis) {
    if (shared.acl() != acl) {
      rulesAnew();
      forget();
    }
    if (nowMillis - rememberedSince >= shared.cacheMillis()) {
      forget();
      rememberedSince = nowMillis;
    }
  }

  private void rulesAnew() {
    AclFile now = shared.acl();
    acl = now;
    fromFile = now == null ? null : now.rulesOf(client.clientId(), client.userName());
  }

  private Remembered rememberedOf(Topic topic) {
    Map<Topic, Remembered> map = remembered;
    if (map == null) {
      map = new HashMap<>();
      remembered = map;
    }
    Remembered of = map.get(topic);
    if (of == null) {
      if (map.size() >= shared.cachedTopics()) {
        map.clear();
      }
      of = new Remembered();
      map.put(topic, of);
    }
    return of;
  }

  /** What the rules say; null if plugins have to be asked. */
  private @Nullable AccessDecision atOnce(Topic topic) {
    AccessDecision byOwn = ruling(own, topic, true, "the client's permissions");
    if (byOwn != null) {
      return byOwn;
    }
    AccessDecision byFile = ruling(fromFile, topic, true, Authorization.ACL_FILE);
    return byFile != null || shared.hasPlugins() ? byFile : AccessDecision.NOBODY_ALLOWED;
  }

  private static @Nullable AccessDecision ruling(
      @Nullable TopicRules rules, Topic topic, boolean write, String name) {
    Decision decision = rules == null ? Decision.PASS : rules.decide(topic, write);
    return switch (decision) {
      case ALLOW -> AccessDecision.ALLOWED;
      case DENY -> AccessDecision.denied(name, DenialCause.DENIED);
      case PASS -> null;
    };
  }

  /** Asks who has to be asked and remembers the answer; completes on any thread. */
  public CompletableFuture<AccessDecision> askPublish(Topic topic, Qos qos, boolean retain) {
    return shared.ask(client, new Action.Publish(topic, qos, retain, false));
  }

  /** What {@link #askPublish} came to, for the next time. */
  public void remember(Topic topic, Qos qos, boolean retain, AccessDecision accessDecision) {
    // A provider that did not answer may do so the next time.
    if (accessDecision.allowed() || accessDecision.denialCause() == DenialCause.DENIED) {
      rememberedOf(topic).rulings[Remembered.index(qos, retain)] = accessDecision;
      lastTopic = null;
    }
  }

  /** A ruling that there is nothing to forbid. */
  public CompletableFuture<AccessDecision> allowed() {
    return CompletableFuture.completedFuture(AccessDecision.ALLOWED);
  }

  /** Decides about the will of a CONNECT; a denial is counted and logged. Any thread. */
  public CompletableFuture<AccessDecision> mayLeave(Action.Publish will) {
    if (isUnlimited()) {
      return allowed();
    }
    refresh(rememberedSince);
    AccessDecision known = atOnce(will.topic());
    CompletableFuture<AccessDecision> asked =
        known == null ? shared.ask(client, will) : CompletableFuture.completedFuture(known);
    return reported(asked, Attempt.WILL, will);
  }

  private CompletableFuture<AccessDecision> reported(
      CompletableFuture<AccessDecision> asked, Attempt attempt, Action what) {
    return asked.whenComplete(
        (accessDecision, error) -> {
          if (accessDecision != null && !accessDecision.allowed()) {
            denied(attempt, what.toString(), accessDecision);
          }
        });
  }

  /** Decides about a subscription; a denial is counted and logged. Completes on any thread. */
  public CompletableFuture<AccessDecision> subscribe(Action.Subscribe subscription) {
    return isUnlimited()
        ? allowed()
        : reported(decide(subscription), Attempt.SUBSCRIBE, subscription);
  }

  private CompletableFuture<AccessDecision> decide(Action.Subscribe subscription) {
    refresh(rememberedSince);
    boolean part = false;
    for (TopicRules rules : new @Nullable TopicRules[] {own, fromFile}) {
      if (rules == null) {
        continue;
      }
      TopicRules.Coverage readable = rules.readable(subscription.filter());
      if (readable == TopicRules.Coverage.ALL) {
        return CompletableFuture.completedFuture(AccessDecision.ALLOWED);
      }
      part |= readable == TopicRules.Coverage.PART;
    }
    if (shared.hasPlugins()) {
      return shared.ask(client, subscription);
    }
    return CompletableFuture.completedFuture(
        part ? AccessDecision.ALLOWED : AccessDecision.NOBODY_ALLOWED);
  }

  /**
   * Decides whether a message may be sent to the client. Plugins are not asked: they decide about
   * subscriptions only.
   */
  public boolean mayReceive(Topic topic) {
    if (shared.acl() != acl) {
      rulesAnew();
      forget();
    }
    if (own == null && fromFile == null) {
      return true;
    }
    if (topic != lastRead) {
      Remembered of = rememberedOf(topic);
      if (of.readable == null) {
        of.readable = isReadable(topic);
      }
      lastRead = topic;
      lastReadable = of.readable;
    }
    return lastReadable;
  }

  private boolean isReadable(Topic topic) {
    AccessDecision accessDecision = ruling(own, topic, false, "");
    if (accessDecision == null) {
      accessDecision = ruling(fromFile, topic, false, "");
    }
    // What no rule is about can only come through a subscription that a plugin allowed.
    return accessDecision == null ? shared.hasPlugins() : accessDecision.allowed();
  }

  /** Counts and logs a denial. */
  public void denied(Attempt attempt, String what, AccessDecision accessDecision) {
    denials.denied(attempt, client, what, accessDecision);
  }
}
