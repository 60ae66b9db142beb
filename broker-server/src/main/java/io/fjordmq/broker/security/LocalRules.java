package io.fjordmq.broker.security;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.Decision;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one client that the broker evaluates itself: the client's own permissions, ACL files
 * and the rules of providers. Only used on the event loop of the client's session.
 */
final class LocalRules {
  static final String OWN = "the client's permissions";

  /** With more rules, an evaluation can take longer than looking up a cached decision. */
  private static final int FEW_RULES = 2;

  private final List<AccessSource> sources;
  private final @Nullable TopicRules own;
  private final @Nullable ClientContext context;
  // For each source of rules, the object on which the rules below are based, and the rules. The
  // second array is replaced on changes, because an evaluation on other threads may still use it.
  private final @Nullable Object[] versions;
  // For the database, whether the records that concern the client are unchanged.
  private final @Nullable BooleanSupplier[] unchanged;
  private @Nullable TopicRules[] rules;
  private final List<ClientRules> loaded;
  private final boolean restrictsReading;
  private final boolean hasRemote;
  private boolean few;

  /**
   * @param open whether clients for which there are no sources may do everything
   */
  private LocalRules(
      boolean open,
      List<AccessSource> sources,
      @Nullable TopicRules own,
      @Nullable ClientContext context,
      List<ClientRules> loaded) {
    this.sources = sources;
    this.own = own;
    this.context = context;
    this.loaded = loaded;
    versions = new @Nullable Object[sources.size()];
    unchanged = new @Nullable BooleanSupplier[sources.size()];
    rules = new @Nullable TopicRules[sources.size()];
    hasRemote = sources.stream().anyMatch(AccessSource.Remote.class::isInstance);
    restrictsReading =
        own != null
            || (sources.isEmpty() && !open)
            || sources.stream().anyMatch(AccessSource.Local.class::isInstance);
    refreshChanged();
    few = countRules() <= FEW_RULES;
  }

  /** No rules. */
  static LocalRules none() {
    return new LocalRules(true, List.of(), null, null, List.of());
  }

  /** Returns the rules of an admitted client. */
  static LocalRules of(Authorization shared, Admitted admitted) {
    Permissions permissions = admitted.identity().permissions();
    if (permissions == null && shared.isOpen()) {
      return shared.openRules();
    }
    TopicRules own = permissions == null ? null : new TopicRules(permissions.rules());
    List<AccessSource> sources = shared.sourcesOf(admitted.client().listener());
    return new LocalRules(
        false, sources, own, sources.isEmpty() ? null : factsOf(admitted), admitted.rules());
  }

  private static ClientContext factsOf(Admitted admitted) {
    ClientContext known = admitted.context();
    ClientInfo client = admitted.client();
    return known != null
        ? known
        : ClientContext.withoutPassword(
            client.clientId(),
            client.userName(),
            client.address(),
            null,
            client.listener(),
            client.tenant(),
            client.attributes());
  }

  /** Whether the client has permissions of its own. */
  boolean hasOwn() {
    return own != null;
  }

  /** Whether messages to the client must be checked. */
  boolean restrictsReading() {
    return restrictsReading;
  }

  /** Whether there are sources that the broker must ask about each action. */
  boolean hasRemote() {
    return hasRemote;
  }

  /** Whether evaluating the rules costs less than looking up a cached decision. */
  boolean areCheap() {
    return few;
  }

  private int countRules() {
    int count = own == null ? 0 : own.rules().size();
    for (TopicRules one : rules) {
      count += one == null ? 0 : one.rules().size();
    }
    return count;
  }

  /**
   * Uses changed files and rules, and has rules loaded again if this is due.
   *
   * @return whether rules have changed
   */
  boolean refresh(long nowMillis) {
    for (int i = 0; i < loaded.size(); i++) { // called for each message: no iterator
      loaded.get(i).refreshIfDue(nowMillis);
    }
    boolean changed = refreshChanged();
    if (changed) {
      few = countRules() <= FEW_RULES;
    }
    return changed;
  }

  private boolean refreshChanged() {
    boolean changed = false;
    for (int i = 0; i < versions.length; i++) {
      Object version = version(i);
      if (version != versions[i]) {
        versions[i] = version;
        BooleanSupplier isCurrent = unchanged[i];
        if (isCurrent != null && isCurrent.getAsBoolean()) {
          continue; // most changes of the database concern other clients
        }
        TopicRules fresh = rulesOf(i, version);
        if (fresh == null || !fresh.equals(rules[i])) {
          if (!changed) {
            rules = rules.clone();
          }
          rules[i] = fresh;
          changed = true;
        }
      }
    }
    return changed;
  }

  private @Nullable Object version(int i) {
    AccessSource source = sources.get(i);
    if (source instanceof AccessSource.File file) {
      return file.file().current();
    }
    if (source instanceof AccessSource.Database database) {
      return database.users().version();
    }
    if (source instanceof AccessSource.Rules provided) {
      for (int j = 0; j < loaded.size(); j++) {
        if (loaded.get(j).provider() == provided.provider()) {
          return loaded.get(j).current();
        }
      }
    }
    return null;
  }

  private @Nullable TopicRules rulesOf(int i, @Nullable Object version) {
    if (version instanceof AclFile file && context != null) {
      return file.rulesOf(context);
    }
    if (sources.get(i) instanceof AccessSource.Database database && context != null) {
      DatabaseRules known = database.users().rulesOf(context);
      unchanged[i] = known.isCurrent();
      return TopicRules.of(known.templates(), context);
    }
    return version instanceof TopicRules provided ? provided : null;
  }

  /** Returns the decision about a publish; null if another source must decide. */
  @Nullable AccessDecision decidePublish(Topic topic, Qos qos, boolean retain) {
    AccessDecision decision = decidePublish(own, OWN, topic, qos, retain);
    for (int i = 0; decision == null && i < rules.length; i++) {
      AccessSource source = sources.get(i);
      if (source instanceof AccessSource.Remote) {
        return null;
      }
      decision = decidePublish(rules[i], source.name(), topic, qos, retain);
    }
    return decision == null ? AccessDecision.NOT_ALLOWED : decision;
  }

  /** Returns the decision of some rules about a publish; null if they do not decide. */
  static @Nullable AccessDecision decidePublish(
      @Nullable TopicRules rules, String name, Topic topic, Qos qos, boolean retain) {
    Decision decision = rules == null ? Decision.PASS : rules.decidePublish(topic, qos, retain);
    return switch (decision) {
      case ALLOW -> AccessDecision.ALLOWED;
      case DENY ->
          new AccessDecision(
              false,
              name,
              DenialCause.DENIED,
              rules == null ? "" : rules.publishOrigin(topic, qos, retain));
      case PASS -> null;
    };
  }

  /** Whether a message may be sent to the client. */
  boolean isReadable(Topic topic) {
    Decision decision = own == null ? Decision.PASS : own.decideRead(topic);
    for (int i = 0; decision == Decision.PASS && i < rules.length; i++) {
      TopicRules one = rules[i];
      if (one != null) {
        decision = one.decideRead(topic);
      }
    }
    // A topic to which no rule applies can only match a subscription that a plugin or a service has
    // allowed.
    return decision == Decision.PASS ? hasRemote : decision == Decision.ALLOW;
  }

  /** Returns an evaluation of all sources with the current rules. */
  AccessEvaluation evaluator(ClientInfo client) {
    return new AccessEvaluation(sources, own, rules, client, context);
  }
}
