package io.fjordmq.perf.scenario;

/**
 * The users of clients: unless clients are anonymous, each has its own user name and password, and
 * access to its own topics only.
 *
 * @param store where the broker finds them
 * @param rules minimum number of access rules of each user; rules for topics that nobody uses are
 *     added in front of the others. 0 for no additional rules
 */
public record ClientUsers(UserStore store, int rules) {
  public static final ClientUsers ANONYMOUS = new ClientUsers(UserStore.NONE, 0);

  public ClientUsers {
    if (rules < 0 || (store == UserStore.NONE && rules > 0)) {
      throw new UsageException(
          "rulesPerUser must be at least 0, and 0 without users, not " + rules);
    }
  }

  /** Returns whether clients have users. */
  public boolean exist() {
    return store != UserStore.NONE;
  }
}
