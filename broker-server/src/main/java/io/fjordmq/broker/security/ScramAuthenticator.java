package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.broker.providers.ProviderMeter;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Authenticates users of the database with a SCRAM mechanism. Thread-safe; does not block. */
final class ScramAuthenticator implements EnhancedAuthenticator {
  private static final int NONCE_BYTES = 18;

  private final ScramMechanism mechanism;
  private final IntSupplier iterations;
  private final UserSource users;
  private final ProviderMeter meter;
  private final Supplier<String> nonces;
  private final byte[] noKey;

  /**
   * @param iterations iteration count sent for unknown users; must equal that of existing users, to
   *     hide which users exist
   */
  ScramAuthenticator(
      ScramMechanism mechanism, IntSupplier iterations, UserSource users, ProviderMeter meter) {
    this(mechanism, iterations, users, meter, randomNonces());
  }

  /** With these nonces, which must be unpredictable. */
  ScramAuthenticator(
      ScramMechanism mechanism,
      IntSupplier iterations,
      UserSource users,
      ProviderMeter meter,
      Supplier<String> nonces) {
    this.mechanism = mechanism;
    this.iterations = iterations;
    this.users = users;
    this.meter = meter;
    this.nonces = nonces;
    this.noKey = new byte[mechanism.bytes()];
    new SecureRandom().nextBytes(noKey);
  }

  private static Supplier<String> randomNonces() {
    SecureRandom random = new SecureRandom();
    return () -> {
      byte[] bytes = new byte[NONCE_BYTES];
      random.nextBytes(bytes);
      return Base64.getEncoder().encodeToString(bytes);
    };
  }

  @Override
  public String method() {
    return mechanism.method();
  }

  @Override
  public Exchange begin(ConnectAttempt attempt, @Nullable ClientInfo current) {
    return new ScramExchange(this, current == null ? null : current.userName(), meter);
  }

  ScramMechanism mechanism() {
    return mechanism;
  }

  UserSource users() {
    return users;
  }

  /** The server's part of a nonce. */
  String nonce() {
    return nonces.get();
  }

  /**
   * Returns a verifier that no password matches. Its salt is always the same for a name, on every
   * node, as that of a user would be.
   */
  ScramVerifier decoy(String userName) {
    byte[] salt =
        Arrays.copyOf(
            ScramMechanism.SHA_256.hmac(
                users.decoySecret(),
                (mechanism.method() + " " + userName).getBytes(StandardCharsets.UTF_8)),
            ScramVerifier.SALT_BYTES);
    return new ScramVerifier(mechanism, iterations.getAsInt(), salt, noKey, noKey);
  }
}
