package io.fjordmq.api.plugin;

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
 * @param attributes free-form data for authorizers and event listeners
 */
public record Identity(
    String tenant,
    @Nullable String userName,
    @Nullable Permissions permissions,
    Map<String, String> attributes) {

  public Identity {
    attributes = Map.copyOf(attributes);
  }

  /** Returns the identity of a user of the default tenant; null for an anonymous client. */
  public static Identity of(@Nullable String userName) {
    return new Identity("", userName, null, Map.of());
  }
}
