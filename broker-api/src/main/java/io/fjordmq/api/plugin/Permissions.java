package io.fjordmq.api.plugin;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The access rules of one client. Its authenticator supplies them and the broker enforces them. The
 * first rule that matches a topic decides. If no rule matches, the {@link Authorizer}s decide.
 *
 * <p>The broker also checks every message before delivery: a client that may read {@code site/1/#}
 * can subscribe to {@code #} and receives only messages that {@code site/1/#} matches.
 *
 * @since 0.1.0
 */
public record Permissions(List<Rule> rules) {

  public Permissions {
    rules = List.copyOf(rules);
  }

  /** The access that a rule allows or denies. */
  public enum Access {
    READ,
    WRITE,
    READ_WRITE;

    /** Returns true if this includes read access. */
    public boolean reads() {
      return this != WRITE;
    }

    /** Returns true if this includes write access. */
    public boolean writes() {
      return this != READ;
    }
  }

  /**
   * An access rule.
   *
   * @param allow false to deny
   * @param filter the topics that the rule applies to; not a shared filter
   * @param qos the levels of publishes and subscriptions that the rule applies to; empty for all.
   *     Received messages have been subscribed to, so their level does not matter
   * @param retain the RETAIN flag of publishes that the rule applies to; null for both
   */
  public record Rule(
      boolean allow, Access access, TopicFilter filter, Set<Qos> qos, @Nullable Boolean retain) {

    /**
     * Validates the rule.
     *
     * @throws IllegalArgumentException if the filter is shared
     */
    public Rule {
      qos = Set.copyOf(qos);
      if (filter.isShared()) {
        throw new IllegalArgumentException(
            "the topic filter of a rule must not be a shared " + "subscription: " + filter);
      }
    }

    /** Creates a rule for all levels of QoS and both values of RETAIN. */
    public Rule(boolean allow, Access access, TopicFilter filter) {
      this(allow, access, filter, Set.of(), null);
    }

    /** Returns a rule that allows access to the topics that the filter matches. */
    public static Rule allow(Access access, String filter) {
      return new Rule(true, access, TopicFilter.parse(filter));
    }

    /** Returns a rule that denies access to the topics that the filter matches. */
    public static Rule deny(Access access, String filter) {
      return new Rule(false, access, TopicFilter.parse(filter));
    }
  }
}
