package io.fjordmq.broker.userdb;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT user, without its credentials. Immutable.
 *
 * @param name unique in the cluster, because a login does not name the tenant
 * @param tenant the tenant of the user's clients
 * @param enabled false if the user cannot log in
 * @param superuser whether its clients may do everything
 * @param groups the groups whose rules apply to its clients, in the order of their evaluation
 * @param attributes values for placeholders
 * @param createdAt in cluster time
 */
public record ClientUser(
    String name,
    String tenant,
    boolean enabled,
    boolean superuser,
    List<String> groups,
    Map<String, String> attributes,
    Instant createdAt) {

  public ClientUser {
    groups = List.copyOf(groups);
    attributes = Map.copyOf(attributes);
  }

  /**
   * How the credentials of a user are stored, for operators.
   *
   * @param passwordHash the kind of hash, e.g. {@code argon2id}; null if the user has no password
   * @param scram the SCRAM mechanisms with which the user can log in
   */
  public record Stored(ClientUser user, @Nullable String passwordHash, List<String> scram) {}

  /**
   * The requested properties of a new user.
   *
   * @param password null if the user cannot log in with a password
   * @param tenant null for the caller's tenant, or the default tenant
   */
  public record Draft(
      String name,
      @Nullable String password,
      @Nullable String tenant,
      boolean enabled,
      boolean superuser,
      List<String> groups,
      Map<String, String> attributes) {
    /** Omits the password. */
    @Override
    public String toString() {
      return "user " + name;
    }
  }

  /** New values for a user; null keeps the current value. */
  public record Update(
      @Nullable String password,
      @Nullable Boolean enabled,
      @Nullable Boolean superuser,
      @Nullable List<String> groups,
      @Nullable Map<String, String> attributes) {
    /** Omits the password. */
    @Override
    public String toString() {
      return "update of a user";
    }
  }

  /** Which users to list; null for all. */
  public record Filter(
      @Nullable String like,
      @Nullable String tenant,
      @Nullable String group,
      @Nullable Boolean superuser,
      @Nullable Boolean enabled) {

    boolean accepts(ClientUser user) {
      return (tenant == null || tenant.equals(user.tenant))
          && (group == null || user.groups.contains(group))
          && (superuser == null || superuser == user.superuser)
          && (enabled == null || enabled == user.enabled);
    }

    /** Whether users must be decoded to know whether they match. */
    boolean needsValues() {
      return tenant != null || group != null || superuser != null || enabled != null;
    }
  }
}
