package io.fjordmq.api.plugin;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who a client is, as an authenticator found out.
 *
 * @param tenant separates clients, topics and sessions of different customers; {@code ""} is the
 *     one tenant of a broker that has no others
 * @param userName who it is in ACL files ({@code user}, {@code %u}) and logs; null if anonymous
 * @param permissions what this client may do, asked before every {@link Authorizer}; null for
 *     nothing special
 * @param attributes whatever authorizers and listeners of events are to know of it
 */
public record Identity(
    String tenant,
    @Nullable String userName,
    @Nullable Permissions permissions,
    Map<String, String> attributes) {

  public Identity {
    attributes = Map.copyOf(attributes);
  }

  /** A user of the only tenant; null for nobody in particular. */
  public static Identity of(@Nullable String userName) {
    return new Identity("", userName, null, Map.of());
  }
}
