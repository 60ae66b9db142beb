package io.fjordmq.broker.security;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the database stores to check the logins of a user. Immutable.
 *
 * @param password null if the user cannot log in with a password
 * @param scram at most one per mechanism
 */
public record UserCredentials(@Nullable PasswordHash password, List<ScramVerifier> scram) {

  public UserCredentials {
    scram = List.copyOf(scram);
  }

  /** Returns the verifier of a mechanism; null if there is none. */
  public @Nullable ScramVerifier verifier(ScramMechanism mechanism) {
    for (ScramVerifier one : scram) {
      if (one.mechanism() == mechanism) {
        return one;
      }
    }
    return null;
  }

  /** Omits the hashes. */
  @Override
  public String toString() {
    return "UserCredentials" + scram;
  }
}
