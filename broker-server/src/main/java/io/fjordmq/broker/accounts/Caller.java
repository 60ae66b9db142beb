package io.fjordmq.broker.accounts;

import org.jspecify.annotations.Nullable;

/**
 * The authenticated sender of an API request. Immutable.
 *
 * @param name the name of the user or API key; for {@link Kind#LOCAL}, a fixed name
 * @param kind how the caller authenticated
 * @param role what the caller may do
 * @param tenant the only tenant on which the caller may act; null if every tenant is allowed
 */
public record Caller(String name, Kind kind, Role role, @Nullable String tenant) {
  /** How a caller authenticates. */
  public enum Kind {
    /** With a user name and password, or with a token that was issued for them. */
    USER,
    /** With an API key and its secret. */
    API_KEY,
    /** With the token in the control directory of the node that receives the request. */
    LOCAL
  }

  /**
   * Whether the caller may see and change objects of this tenant.
   *
   * @param owner null for objects that belong to no tenant or give access to all tenants
   */
  public boolean mayAccess(@Nullable String owner) {
    return tenant == null || tenant.equals(owner);
  }
}
