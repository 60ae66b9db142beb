package io.fjordmq.broker.accounts;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A person who administers the cluster. Immutable.
 *
 * @param name unique among users
 * @param tenant the only tenant that the user may see and change; null for all
 * @param description free text; may be empty
 * @param createdAt in cluster time
 */
public record User(
    String name, Role role, @Nullable String tenant, String description, Instant createdAt) {

  /**
   * The requested properties of a new user.
   *
   * @param tenant null for the caller's tenant, or all tenants if the caller is not bound to one
   */
  public record Draft(
      String name, String password, Role role, @Nullable String tenant, String description) {
    @Override
    public String toString() {
      return "user " + name; // without the password
    }
  }

  /** New values for a user; null keeps the current value. */
  public record Update(@Nullable Role role, @Nullable String description) {}
}
