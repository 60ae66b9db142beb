package io.fjordmq.broker.userdb;

/**
 * Rules as they are stored.
 *
 * @param version changes with each write; {@link #NONE} is the version of rules that do not exist
 */
public record VersionedRules(RuleSet set, long version) {
  public static final long NONE = 0;
}
