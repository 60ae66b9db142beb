package io.fjordmq.broker.userdb;

import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.broker.security.ScramPolicy;
import io.fjordmq.broker.security.ScramVerifier;
import io.fjordmq.broker.security.UserCredentials;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** Computes what the database stores for a password. Slow by design. Thread-safe. */
final class CredentialHashing {
  private final ScramPolicy scram;
  private final SecureRandom random = new SecureRandom();

  /**
   * @param scram which SCRAM verifiers to create
   */
  CredentialHashing(ScramPolicy scram) {
    this.scram = scram;
  }

  UserCredentials hash(byte[] password) {
    return new UserCredentials(
        PasswordHash.of(password, random), scram.verifiers(password, random));
  }

  /**
   * Computes what replaces the credentials of a user whose password is unchanged. Keeps verifiers
   * that this node would not create, because other nodes may use them.
   */
  UserCredentials upgrade(UserCredentials before, byte[] password) {
    UserCredentials next = hash(password);
    List<ScramVerifier> verifiers = new ArrayList<>(next.scram());
    for (ScramVerifier one : before.scram()) {
      if (next.verifier(one.mechanism()) == null) {
        verifiers.add(one);
      }
    }
    return new UserCredentials(next.password(), verifiers);
  }

  /** Whether {@link #hash} would store the same kinds of hashes. */
  boolean isCurrent(UserCredentials credentials) {
    PasswordHash password = credentials.password();
    return (password == null || password.isCurrent()) && scram.isSatisfied(credentials);
  }

  /** A new epoch of a user. */
  long epoch() {
    return random.nextLong();
  }
}
