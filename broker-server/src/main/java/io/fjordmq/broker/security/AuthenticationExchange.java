package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.api.plugin.EnhancedAuthenticator.Exchange;
import io.fjordmq.api.plugin.EnhancedAuthenticator.Step;
import io.fjordmq.broker.security.Admission.Admitted;
import io.fjordmq.broker.security.Admission.GoOn;
import io.fjordmq.broker.security.Admission.Refusal;
import io.fjordmq.broker.security.Admission.Refused;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An authentication in several steps with one client, at CONNECT or later (MQTT 5.0 §4.12). Used by
 * one event loop; the provider is called elsewhere.
 */
public final class AuthenticationExchange {
  private final Provider<EnhancedAuthenticator> provider;
  private final ConnectAttempt attempt;
  private final @Nullable ClientInfo before;
  private final Refusals refusals;
  // Made and used by one call of the provider after the other.
  private volatile @Nullable Exchange exchange;
  private volatile boolean closed;

  /**
   * @param before who the client has been so far; null at CONNECT
   */
  AuthenticationExchange(
      Provider<EnhancedAuthenticator> provider,
      ConnectAttempt attempt,
      @Nullable ClientInfo before,
      Refusals refusals) {
    this.provider = provider;
    this.attempt = attempt;
    this.before = before;
    this.refusals = refusals;
  }

  /**
   * The client's next step. To be called again only when the answer was {@link GoOn}.
   *
   * @param data empty if it sent none
   */
  public CompletableFuture<Admission> next(byte[] data) {
    return provider
        .ask(authenticator -> call(authenticator, data))
        .handle(
            (step, error) -> {
              if (step != null) {
                return answer(step);
              }
              Cause cause =
                  error == null
                      ? Cause.FAILED
                      : provider.cause(error, "authenticate " + attempt.clientId());
              Refusal refusal =
                  cause == Cause.BUSY ? Refusal.SERVER_BUSY : Refusal.SERVER_UNAVAILABLE;
              return refusals.refuse(attempt, refusal, cause, cause.label(), provider.name());
            });
  }

  private CompletionStage<Step> call(EnhancedAuthenticator authenticator, byte[] data) {
    Exchange mine = exchange;
    if (mine == null) {
      mine = authenticator.begin(attempt, before);
      exchange = mine;
    }
    CompletionStage<Step> step = mine.next(data);
    if (closed) {
      mine.close();
    }
    return step;
  }

  private Admission answer(Step step) {
    if (step instanceof Step.Continue more) {
      return new GoOn(more.data());
    }
    Refused shut = before == null ? refusals.shutOut(attempt) : null;
    if (shut != null) {
      return shut;
    }
    if (step instanceof Step.Success success) {
      ClientInfo client = ClientInfo.of(attempt, success.identity());
      if (before == null || before.tenant().equals(client.tenant())) {
        return new Admitted(client, success.identity().permissions(), success.data());
      }
      return refusals.refuse(
          attempt,
          Refusal.NOT_AUTHORIZED,
          Cause.DENIED,
          "it was of tenant '" + before.tenant() + "' and now is of '" + client.tenant() + "'",
          provider.name());
    }
    Step.Failure failure = (Step.Failure) step;
    return refusals.refuse(
        attempt, Refusal.of(failure.reason()), Cause.DENIED, failure.detail(), provider.name());
  }

  /** Nobody goes on with it. */
  public void close() {
    closed = true;
    Exchange mine = exchange;
    if (mine != null) {
      provider.tell(authenticator -> mine.close());
    }
  }
}
