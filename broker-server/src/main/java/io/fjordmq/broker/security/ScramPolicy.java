package io.fjordmq.broker.security;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which SCRAM verifiers are created with a password. A verifier protects the password less than
 * Argon2id does, so none are created unless SCRAM is used.
 *
 * @param iterations of PBKDF2, for each mechanism to create; empty for none
 */
public record ScramPolicy(Map<ScramMechanism, Integer> iterations) {
  /** No verifiers. */
  public static final ScramPolicy NONE = new ScramPolicy(Map.of());

  public ScramPolicy {
    iterations = Map.copyOf(iterations);
  }

  /** With the same number of iterations for these mechanisms. */
  public static ScramPolicy of(Set<ScramMechanism> mechanisms, int iterations) {
    Map<ScramMechanism, Integer> each = new EnumMap<>(ScramMechanism.class);
    mechanisms.forEach(mechanism -> each.put(mechanism, iterations));
    return new ScramPolicy(each);
  }

  /** Returns the policy that creates the verifiers of both, with the greater iterations. */
  ScramPolicy and(ScramPolicy other) {
    Map<ScramMechanism, Integer> both = new EnumMap<>(ScramMechanism.class);
    both.putAll(iterations);
    other.iterations.forEach((mechanism, count) -> both.merge(mechanism, count, Math::max));
    return new ScramPolicy(both);
  }

  /** Returns the iterations of new verifiers; the minimum if none are created. */
  int iterationsOf(ScramMechanism mechanism) {
    return iterations.getOrDefault(mechanism, ScramVerifier.MIN_ITERATIONS);
  }

  /** Creates the verifiers of a password. Slow by design. */
  public List<ScramVerifier> verifiers(byte[] password, SecureRandom random) {
    List<ScramVerifier> verifiers = new ArrayList<>();
    for (ScramMechanism mechanism : ScramMechanism.values()) {
      if (iterations.containsKey(mechanism)) {
        verifiers.add(
            ScramVerifier.of(
                mechanism, iterationsOf(mechanism), ScramPassword.prepare(password), random));
      }
    }
    return verifiers;
  }

  /** Whether the credentials have all verifiers, with at least as many iterations. */
  public boolean isSatisfied(UserCredentials credentials) {
    return iterations.entrySet().stream()
        .allMatch(
            wanted -> {
              ScramVerifier verifier = credentials.verifier(wanted.getKey());
              return verifier != null && verifier.iterations() >= wanted.getValue();
            });
  }
}
