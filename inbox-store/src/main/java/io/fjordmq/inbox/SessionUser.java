package io.fjordmq.inbox;

/**
 * The user that a session belongs to: the user of the connection that created it.
 *
 * @param name user name, compared exactly
 * @param exclusive true if connections of other users are refused. Otherwise they are guests, which
 *     use the session but neither take it over nor make it expire earlier
 */
public record SessionUser(String name, boolean exclusive) {
  boolean isSame(SessionUser other) {
    return name.equals(other.name);
  }
}
