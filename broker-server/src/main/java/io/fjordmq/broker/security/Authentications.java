package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The chain of authenticators: the first one that allows or denies decides. A client that all of
 * them pass on is refused. Thread-safe.
 */
final class Authentications {
  private static final byte[] NO_DATA = {};

  /** The answer of one authenticator, with the cause of a denial. */
  private record Answer(Authentication said, DenialCause denialCause) {}

  private final List<Provider<Authenticator>> chain;
  private final ClientRefusals clientRefusals;

  /**
   * @param chain with {@link AnonymousAccess} at its end
   */
  Authentications(List<Provider<Authenticator>> chain, ClientRefusals clientRefusals) {
    this.chain = chain;
    this.clientRefusals = clientRefusals;
  }

  CompletableFuture<ConnectAdmission> admit(ConnectAttempt attempt) {
    return ask(attempt, 0);
  }

  private CompletableFuture<ConnectAdmission> ask(ConnectAttempt attempt, int index) {
    if (index == chain.size()) {
      return concluded(attempt, () -> denyUnknown(attempt));
    }
    Provider<Authenticator> provider = chain.get(index);
    return provider
        .ask(authenticator -> authenticator.authenticate(attempt))
        .handle((said, error) -> answer(provider, attempt, said, error))
        .thenCompose(
            answer ->
                answer.said instanceof Authentication.Pass
                    ? ask(attempt, index + 1)
                    : concluded(attempt, () -> decided(provider, attempt, answer)));
  }

  private CompletableFuture<ConnectAdmission> concluded(
      ConnectAttempt attempt, Supplier<ConnectAdmission> answer) {
    Refused shut = clientRefusals.refuseIfBlocked(attempt);
    return CompletableFuture.completedFuture(shut == null ? answer.get() : shut);
  }

  private static Answer answer(
      Provider<Authenticator> provider,
      ConnectAttempt attempt,
      @Nullable Authentication said,
      @Nullable Throwable error) {
    if (said != null) {
      boolean busy =
          said instanceof Authentication.Deny deny && deny.reason() == DenyReason.SERVER_BUSY;
      return new Answer(said, busy ? DenialCause.BUSY : DenialCause.DENIED);
    }
    DenialCause denialCause =
        error == null ? DenialCause.FAILED : provider.cause(error, "connect " + attempt.clientId());
    DenyReason reason =
        denialCause == DenialCause.BUSY ? DenyReason.SERVER_BUSY : DenyReason.SERVER_UNAVAILABLE;
    return new Answer(new Authentication.Deny(reason, denialCause.label()), denialCause);
  }

  private ConnectAdmission decided(
      Provider<Authenticator> provider, ConnectAttempt attempt, Answer answer) {
    if (answer.said instanceof Authentication.Allow allow) {
      ClientInfo client = ClientInfo.of(attempt, allow.identity());
      return new Admitted(client, allow.identity().permissions(), NO_DATA);
    }
    Authentication.Deny deny = (Authentication.Deny) answer.said;
    return clientRefusals.refuse(
        attempt, Refusal.of(deny.reason()), answer.denialCause, deny.detail(), provider.name());
  }

  private ConnectAdmission denyUnknown(ConnectAttempt attempt) {
    Refusal refusal =
        chain.size() == 1 || attempt.isWithoutCredentials()
            ? Refusal.NOT_AUTHORIZED
            : Refusal.BAD_USER_NAME_OR_PASSWORD;
    String detail =
        chain.size() == 1
            ? "no authentication is configured and securityConfig.allowAnonymous excludes it; set"
                + " securityConfig.passwordFile, or securityConfig.allowAnonymous: true"
            : attempt.isWithoutCredentials()
                ? "no user name, and securityConfig.allowAnonymous excludes it"
                : "unknown user";
    return clientRefusals.refuse(attempt, refusal, DenialCause.NOBODY_ALLOWED, detail, "");
  }
}
