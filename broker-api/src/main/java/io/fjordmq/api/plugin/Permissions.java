package io.fjordmq.api.plugin;

import io.fjordmq.api.TopicFilter;
import java.util.List;

/**
 * The access rules of one client. Its authenticator supplies them and the broker enforces them. The
 * first rule that matches a topic decides. If no rule matches, the {@link Authorizer}s decide.
 *
 * <p>The broker also checks every message before delivery: a client that may read {@code site/1/#}
 * can subscribe to {@code #} and receives only messages that {@code site/1/#} matches.
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
   */
  public record Rule(boolean allow, Access access, TopicFilter filter) {

    /**
     * Validates the rule.
     *
     * @throws IllegalArgumentException if the filter is shared
     */
    public Rule {
      if (filter.isShared()) {
        throw new IllegalArgumentException(
            "the topic filter of a rule must not be a shared " + "subscription: " + filter);
      }
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
