package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;

/**
 * The token that lets every user who can read the data directory administer the node. It is valid
 * until the node stops. Other credentials are passed on. Thread-safe.
 */
public final class LocalToken implements Authentication {
  private static final int RANDOM_BYTES = 32;
  private static final Caller CALLER =
      new Caller("local", Caller.Kind.LOCAL, Role.ADMINISTRATOR, null);

  private final String text;
  private final Authentication others;

  private LocalToken(String text, Authentication others) {
    this.text = text;
    this.others = others;
  }

  /**
   * Creates a random token.
   *
   * @param others checks all other credentials
   */
  public static LocalToken generate(Authentication others) {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return new LocalToken(Base64.getUrlEncoder().withoutPadding().encodeToString(random), others);
  }

  /** The token, which is secret. */
  public String text() {
    return text;
  }

  @Override
  public CompletableFuture<Caller> authenticate(Credentials credentials, String remoteAddress) {
    return credentials instanceof Credentials.Bearer bearer && isSame(bearer.token())
        ? CompletableFuture.completedFuture(CALLER)
        : others.authenticate(credentials, remoteAddress);
  }

  /** Compares in constant time. */
  private boolean isSame(String token) {
    return MessageDigest.isEqual(
        token.getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8));
  }
}
