package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.api.plugin.EnhancedAuthenticator.Exchange;
import io.fjordmq.api.plugin.EnhancedAuthenticator.Step;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Challenge;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One enhanced authentication of a client: an exchange of AUTH packets at CONNECT or for a
 * re-authentication (MQTT 5.0 §4.12). Used by one event loop; the provider runs on its own threads.
 */
public final class AuthenticationExchange {
  private final Provider<EnhancedAuthenticator> provider;
  private final ConnectAttempt attempt;
  private final @Nullable ClientInfo before;
  private final ClientRefusals clientRefusals;
  private final Authorization authorization;
  // Used by one provider call at a time.
  private volatile @Nullable Exchange exchange;
  private volatile boolean closed;

  /**
   * @param before the client's current identity; null at CONNECT
   */
  AuthenticationExchange(
      Provider<EnhancedAuthenticator> provider,
      ConnectAttempt attempt,
      @Nullable ClientInfo before,
      ClientRefusals clientRefusals,
      Authorization authorization) {
    this.authorization = authorization;
    this.provider = provider;
    this.attempt = attempt;
    this.before = before;
    this.clientRefusals = clientRefusals;
  }

  /**
   * Performs the next step of the exchange. May only be called again after a {@link
   * ConnectAdmission.Challenge}.
   *
   * @param data the Authentication Data; empty if the client sent none
   */
  public CompletableFuture<ConnectAdmission> next(byte[] data) {
    return provider
        .invoke(authenticator -> call(authenticator, data))
        .handle(
            (step, error) -> {
              if (step != null) {
                return admissionOf(step);
              }
              DenialCause denialCause =
                  error == null
                      ? DenialCause.FAILED
                      : provider.cause(error, "authenticate " + attempt.clientId());
              Refusal refusal =
                  denialCause == DenialCause.BUSY
                      ? Refusal.SERVER_BUSY
                      : Refusal.SERVER_UNAVAILABLE;
              return clientRefusals.refuse(
                  attempt, refusal, denialCause, denialCause.label(), provider.name());
            })
        .thenCompose(
            result ->
                result instanceof Admitted admitted
                    ? authorization.loadRules(attempt, admitted, clientRefusals, () -> closed)
                    : CompletableFuture.completedFuture(result));
  }

  private CompletionStage<Step> call(EnhancedAuthenticator authenticator, byte[] data) {
    Exchange current = exchange;
    if (current == null) {
      current = authenticator.begin(attempt, before);
      exchange = current;
    }
    CompletionStage<Step> step = current.next(data);
    if (closed) {
      current.close();
    }
    return step;
  }

  private ConnectAdmission admissionOf(Step step) {
    ConnectAttempt claimed = claimed();
    // After each step, because only a step may have told whose failed logins count.
    Refused blocked = before == null ? clientRefusals.refuseIfBlocked(claimed) : null;
    if (blocked != null) {
      return blocked;
    }
    if (step instanceof Step.Continue more) {
      return new Challenge(more.data());
    }
    if (step instanceof Step.Success success) {
      ClientInfo client = ClientInfo.of(attempt, success.identity());
      String change = before == null ? null : changeOf(before, client);
      if (change == null) {
        clientRefusals.onSuccess(claimed, client.userName());
        return Admitted.of(client, success.identity(), success.data(), provider.name())
            .checkedBy(
                exchange instanceof IdentityCheck.Source source
                    ? source.check()
                    : IdentityCheck.ALWAYS_VALID);
      }
      return clientRefusals.refuse(
          attempt, Refusal.NOT_AUTHORIZED, DenialCause.DENIED, change, provider.name());
    }
    Step.Failure failure = (Step.Failure) step;
    return clientRefusals.refuse(
        claimed,
        Refusal.of(failure.reason()),
        DenialCause.DENIED,
        failure.detail(),
        provider.name(),
        failure.reasonString());
  }

  /** Returns the attempt with the user name of the exchange, if that has one. */
  private ConnectAttempt claimed() {
    String user = exchange instanceof NamedExchange named ? named.claimedUser() : null;
    return user == null
        ? attempt
        : new ConnectAttempt(
            attempt.listener(),
            attempt.address(),
            attempt.encrypted(),
            attempt.certificate(),
            attempt.protocolLevel(),
            attempt.clientId(),
            user,
            attempt.password(),
            attempt.options());
  }

  /** Returns what a re-authentication has changed although it must not; null for nothing. */
  private static @Nullable String changeOf(ClientInfo before, ClientInfo after) {
    if (!before.tenant().equals(after.tenant())) {
      return "the tenant must not change on re-authentication: was '"
          + before.tenant()
          + "', is '"
          + after.tenant()
          + "'";
    }
    return before.clientId().equals(after.clientId())
        ? null
        : "the client identifier must not change on re-authentication: was '"
            + before.clientId()
            + "', is '"
            + after.clientId()
            + "'";
  }

  /** Abandons the exchange. */
  public void close() {
    closed = true;
    Exchange current = exchange;
    if (current != null) {
      provider.callAsync(authenticator -> current.close());
    }
  }
}
