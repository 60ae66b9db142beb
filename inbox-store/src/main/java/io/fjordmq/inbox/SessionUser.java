package io.fjordmq.inbox;

/**
 * Whom a session belongs to: the user of the connection that began it.
 *
 * @param name compared as it is
 * @param exclusive connections of other users are refused. Otherwise they are guests: they use the
 *     session, but it stays the user's and does not expire earlier because of them
 */
public record SessionUser(String name, boolean exclusive) {
  boolean isSame(SessionUser other) {
    return name.equals(other.name);
  }
}
