package io.fjordmq.api.plugin;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a client, as established by an authenticator.
 *
 * @param tenant namespace of the client, its topics and its session; {@code ""} is the default
 *     tenant, the only one of a broker that does not use tenants
 * @param userName name in ACL files ({@code user}, {@code %u}) and logs; null if anonymous
 * @param permissions access rules for this client, evaluated before any {@link Authorizer} is
 *     called; null for none
 * @param attributes free-form data for authorizers and event listeners; providers can use an
 *     attribute X as <code>${client_attrs.X}</code>
 * @param superuser true if the client may do everything: no rule applies to it and no {@link
 *     Authorizer} is called
 * @param expiresAt when the identity ends: the broker then disconnects the client (0x87), unless it
 *     has re-authenticated; null for never
 * @param limits the client's own limits, from the CONNACK or the re-authentication on
 * @param clientId the client identifier that replaces the one of the client; null to keep it. A
 *     re-authentication must not change it. Clients do not learn it, unless they have sent none
 * @since 0.1.0
 */
public record Identity(
    String tenant,
    @Nullable String userName,
    @Nullable Permissions permissions,
    Map<String, String> attributes,
    boolean superuser,
    @Nullable Instant expiresAt,
    SessionLimits limits,
    @Nullable String clientId) {

  public Identity {
    attributes = Map.copyOf(attributes);
  }

  /** Creates an identity without limits of its own that keeps the client identifier. */
  public Identity(
      String tenant,
      @Nullable String userName,
      @Nullable Permissions permissions,
      Map<String, String> attributes,
      boolean superuser,
      @Nullable Instant expiresAt) {
    this(tenant, userName, permissions, attributes, superuser, expiresAt, SessionLimits.NONE, null);
  }

  /** Creates an identity that does not expire, of a client that is no superuser. */
  public Identity(
      String tenant,
      @Nullable String userName,
      @Nullable Permissions permissions,
      Map<String, String> attributes) {
    this(tenant, userName, permissions, attributes, false, null);
  }

  /** Returns this identity with limits of its own. */
  public Identity withLimits(SessionLimits own) {
    return new Identity(
        tenant, userName, permissions, attributes, superuser, expiresAt, own, clientId);
  }

  /** Returns this identity with another client identifier. */
  public Identity withClientId(@Nullable String other) {
    return new Identity(
        tenant, userName, permissions, attributes, superuser, expiresAt, limits, other);
  }

  /** Returns the identity of a user of the default tenant; null for an anonymous client. */
  public static Identity of(@Nullable String userName) {
    return new Identity("", userName, null, Map.of());
  }
}
