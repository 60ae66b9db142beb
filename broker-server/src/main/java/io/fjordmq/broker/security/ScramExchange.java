package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.EnhancedAuthenticator.Exchange;
import io.fjordmq.api.plugin.EnhancedAuthenticator.Step;
import io.fjordmq.broker.providers.CallOutcome;
import io.fjordmq.broker.providers.ProviderMeter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The server's part of one SCRAM exchange (RFC 5802, without channel binding). Never called
 * concurrently; computes a few HMACs, so it can run on an event loop.
 *
 * <p>An unknown user gets a salt like any other, and learns only at the end that the login has
 * failed, as with a wrong password.
 */
final class ScramExchange implements Exchange, IdentityCheck.Source, NamedExchange {
  /** A client does not need more for names and nonces. */
  static final int MAX_MESSAGE_BYTES = 4_096;

  private static final Step WRONG =
      new Step.Failure(DenyReason.BAD_USER_NAME_OR_PASSWORD, "wrong password");

  private final ScramAuthenticator server;
  private final @Nullable String onlyUser;
  private final ProviderMeter meter;
  private final long begin = System.nanoTime();
  private @Nullable Pending pending;
  private IdentityCheck check = IdentityCheck.ALWAYS_VALID;

  /**
   * The state after the client's first message.
   *
   * @param verifier that of the user, or one that no password matches
   */
  private record Pending(
      ScramMessages.ClientFirst first,
      String serverFirst,
      String nonce,
      @Nullable DatabaseUser user,
      ScramVerifier verifier) {}

  /**
   * @param onlyUser the only user that may log in, for a re-authentication; null for any
   */
  ScramExchange(ScramAuthenticator server, @Nullable String onlyUser, ProviderMeter meter) {
    this.server = server;
    this.onlyUser = onlyUser;
    this.meter = meter;
  }

  @Override
  public IdentityCheck check() {
    return check;
  }

  @Override
  public @Nullable String claimedUser() {
    Pending known = pending;
    return known == null ? null : known.first.userName();
  }

  @Override
  public CompletionStage<Step> next(byte[] data) {
    Step step;
    try {
      if (data.length > MAX_MESSAGE_BYTES) {
        throw new ScramMessages.InvalidMessageException(
            "the message has more than " + MAX_MESSAGE_BYTES + " bytes");
      }
      Pending known = pending;
      step = known == null ? onClientFirst(data) : onClientFinal(data, known);
    } catch (ScramMessages.InvalidMessageException e) {
      step =
          new Step.Failure(DenyReason.NOT_AUTHORIZED, "invalid SCRAM message: " + e.getMessage());
    }
    if (!(step instanceof Step.Continue)) {
      boolean isAllowed = step instanceof Step.Success;
      meter.onCall(isAllowed ? CallOutcome.ALLOW : CallOutcome.DENY, System.nanoTime() - begin);
    }
    return step.now();
  }

  private Step onClientFirst(byte[] data) {
    ScramMessages.ClientFirst first = ScramMessages.clientFirst(data);
    if (onlyUser != null && !onlyUser.equals(first.userName())) {
      return new Step.Failure(
          DenyReason.NOT_AUTHORIZED, "the user must not change on re-authentication");
    }
    DatabaseUser user = server.users().find(first.userName());
    ScramVerifier stored = user == null ? null : user.credentials().verifier(server.mechanism());
    ScramVerifier verifier = stored == null ? server.decoy(first.userName()) : stored;
    String nonce = first.nonce() + server.nonce();
    String reply =
        "r=%s,s=%s,i=%d"
            .formatted(
                nonce, Base64.getEncoder().encodeToString(verifier.salt()), verifier.iterations());
    pending = new Pending(first, reply, nonce, stored == null ? null : user, verifier);
    return new Step.Continue(reply.getBytes(StandardCharsets.US_ASCII));
  }

  private Step onClientFinal(byte[] data, Pending known) {
    ScramMessages.ClientFinal last = ScramMessages.clientFinal(data);
    if (!last.nonce().equals(known.nonce)) {
      throw new ScramMessages.InvalidMessageException("the nonce is not the one of this exchange");
    }
    if (!last.gs2Header().equals(known.first.gs2Header())) {
      throw new ScramMessages.InvalidMessageException(
          "the channel binding differs from that of the first message");
    }
    byte[] signed =
        (known.first.bare() + "," + known.serverFirst + "," + last.withoutProof())
            .getBytes(StandardCharsets.UTF_8);
    boolean matches = matches(known.verifier, last.proof(), signed);
    DatabaseUser user = known.user;
    if (user == null || !matches) {
      return WRONG;
    }
    DatabaseUser now = server.users().find(user.name());
    if (now == null || now.epoch() != user.epoch()) {
      return WRONG; // changed since the exchange began
    }
    if (!now.enabled()) {
      return new Step.Failure(DenyReason.BAD_USER_NAME_OR_PASSWORD, "the user is disabled");
    }
    check = IdentityCheck.of(server.users(), now);
    byte[] signature = server.mechanism().hmac(known.verifier.serverKey(), signed);
    String reply = "v=" + Base64.getEncoder().encodeToString(signature);
    return new Step.Success(now.identity(), reply.getBytes(StandardCharsets.US_ASCII));
  }

  private boolean matches(ScramVerifier verifier, byte[] proof, byte[] signed) {
    ScramMechanism mechanism = server.mechanism();
    if (proof.length != mechanism.bytes()) {
      return false;
    }
    byte[] clientKey = mechanism.hmac(verifier.storedKey(), signed);
    for (int i = 0; i < clientKey.length; i++) {
      clientKey[i] ^= proof[i];
    }
    return MessageDigest.isEqual(mechanism.hash(clientKey), verifier.storedKey());
  }
}
