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
      ClientRefusals clientRefusals) {
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
            });
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
    if (step instanceof Step.Continue more) {
      return new Challenge(more.data());
    }
    Refused blocked = before == null ? clientRefusals.refuseIfBlocked(attempt) : null;
    if (blocked != null) {
      return blocked;
    }
    if (step instanceof Step.Success success) {
      ClientInfo client = ClientInfo.of(attempt, success.identity());
      if (before == null || before.tenant().equals(client.tenant())) {
        return new Admitted(
            client, success.identity().permissions(), success.data(), provider.name());
      }
      return clientRefusals.refuse(
          attempt,
          Refusal.NOT_AUTHORIZED,
          DenialCause.DENIED,
          "the tenant must not change on re-authentication: was '"
              + before.tenant()
              + "', is '"
              + client.tenant()
              + "'",
          provider.name());
    }
    Step.Failure failure = (Step.Failure) step;
    return clientRefusals.refuse(
        attempt,
        Refusal.of(failure.reason()),
        DenialCause.DENIED,
        failure.detail(),
        provider.name());
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
