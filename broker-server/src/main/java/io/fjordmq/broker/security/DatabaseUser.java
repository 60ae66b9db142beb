package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Identity;
import java.util.Map;

/**
 * A user of the database, for logins. Immutable.
 *
 * @param enabled false if the user cannot log in
 * @param superuser whether its clients may do everything
 * @param attributes values for placeholders
 * @param epoch random; a new value makes the identities of connected clients invalid
 */
public record DatabaseUser(
    String name,
    String tenant,
    boolean enabled,
    boolean superuser,
    Map<String, String> attributes,
    UserCredentials credentials,
    long epoch) {

  /** The identity of the user's clients. */
  Identity identity() {
    return new Identity(tenant, name, null, attributes, superuser, null);
  }
}
