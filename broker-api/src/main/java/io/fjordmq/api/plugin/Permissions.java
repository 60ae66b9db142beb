package io.fjordmq.api.plugin;

import io.fjordmq.api.TopicFilter;
import java.util.List;

/**
 * What one client may do, as data: its authenticator hands them over, the broker goes by them. The
 * first rule that is about a topic decides; what no rule is about is left to the {@link
 * Authorizer}s.
 *
 * <p>Reading is also checked for every message: a client that may read {@code site/1/#} can
 * subscribe to {@code #} and gets only that.
 */
public record Permissions(List<Rule> rules) {

  public Permissions {
    rules = List.copyOf(rules);
  }

  /** What a rule is about. */
  public enum Access {
    READ,
    WRITE,
    READ_WRITE;

    /** True if this covers reading. */
    public boolean reads() {
      return this != WRITE;
    }

    /** True if this covers writing. */
    public boolean writes() {
      return this != READ;
    }
  }

  /**
   * One rule.
   *
   * @param allow false to deny
   * @param filter of topics; without a share
   */
  public record Rule(boolean allow, Access access, TopicFilter filter) {

    /**
     * @throws IllegalArgumentException if the filter is a shared one
     */
    public Rule {
      if (filter.isShared()) {
        throw new IllegalArgumentException("a rule cannot be about the share in " + filter);
      }
    }

    /** Allows what the filter matches. */
    public static Rule allow(Access access, String filter) {
      return new Rule(true, access, TopicFilter.parse(filter));
    }

    /** Denies it. */
    public static Rule deny(Access access, String filter) {
      return new Rule(false, access, TopicFilter.parse(filter));
    }
  }
}
