package io.fjordmq.api.plugin;

import io.fjordmq.api.UserProperty;
import io.fjordmq.api.Will;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks for in its CONNECT, apart from its identity.
 *
 * @param cleanStart whether the client begins a new session (MQTT 3: Clean Session)
 * @param keepAliveSeconds the keep alive that the client requests; 0 for none
 * @param sessionExpirySeconds the session expiry interval that the client requests; 0xFFFFFFFF for
 *     never. For MQTT 3 clients, the interval that the broker is configured to use
 * @param userProperties in the client's order; empty for MQTT 3 clients. For a re-authentication,
 *     always empty
 * @param will null if the client has none; must not be modified
 * @since 0.1.0
 */
public record ConnectOptions(
    boolean cleanStart,
    int keepAliveSeconds,
    long sessionExpirySeconds,
    List<UserProperty> userProperties,
    @Nullable Will will) {
  /** The options of a client that asks for nothing. */
  public static final ConnectOptions NONE = new ConnectOptions(true, 0, 0, List.of(), null);

  public ConnectOptions {
    userProperties = List.copyOf(userProperties);
  }
}
