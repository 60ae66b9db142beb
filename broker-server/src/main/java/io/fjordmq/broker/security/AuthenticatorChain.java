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
 * The chain of authenticators. The first authenticator that allows or denies a client decides; a
 * client on which no authenticator decides is refused. Thread-safe.
 */
final class AuthenticatorChain {
  private static final byte[] NO_DATA = {};

  /** The decision of one authenticator, with the cause of a denial. */
  private record Outcome(Authentication authentication, DenialCause denialCause) {}

  private final List<Provider<Authenticator>> chain;
  private final ClientRefusals clientRefusals;

  /**
   * @param chain the authenticators in order, ending with {@link AnonymousAuthenticator}
   */
  AuthenticatorChain(List<Provider<Authenticator>> chain, ClientRefusals clientRefusals) {
    this.chain = chain;
    this.clientRefusals = clientRefusals;
  }

  CompletableFuture<ConnectAdmission> admit(ConnectAttempt attempt) {
    return authenticate(attempt, 0);
  }

  private CompletableFuture<ConnectAdmission> authenticate(ConnectAttempt attempt, int index) {
    if (index == chain.size()) {
      return unlessBlocked(attempt, () -> denyUnknown(attempt));
    }
    Provider<Authenticator> provider = chain.get(index);
    return provider
        .invoke(authenticator -> authenticator.authenticate(attempt))
        .handle((authentication, error) -> outcomeOf(provider, attempt, authentication, error))
        .thenCompose(
            outcome ->
                outcome.authentication instanceof Authentication.Pass
                    ? authenticate(attempt, index + 1)
                    : unlessBlocked(attempt, () -> toAdmission(provider, attempt, outcome)));
  }

  private CompletableFuture<ConnectAdmission> unlessBlocked(
      ConnectAttempt attempt, Supplier<ConnectAdmission> decision) {
    Refused blocked = clientRefusals.refuseIfBlocked(attempt);
    return CompletableFuture.completedFuture(blocked == null ? decision.get() : blocked);
  }

  private static Outcome outcomeOf(
      Provider<Authenticator> provider,
      ConnectAttempt attempt,
      @Nullable Authentication authentication,
      @Nullable Throwable error) {
    if (authentication != null) {
      boolean busy =
          authentication instanceof Authentication.Deny deny
              && deny.reason() == DenyReason.SERVER_BUSY;
      return new Outcome(authentication, busy ? DenialCause.BUSY : DenialCause.DENIED);
    }
    DenialCause denialCause =
        error == null ? DenialCause.FAILED : provider.cause(error, "connect " + attempt.clientId());
    DenyReason reason =
        denialCause == DenialCause.BUSY ? DenyReason.SERVER_BUSY : DenyReason.SERVER_UNAVAILABLE;
    return new Outcome(new Authentication.Deny(reason, denialCause.label()), denialCause);
  }

  private ConnectAdmission toAdmission(
      Provider<Authenticator> provider, ConnectAttempt attempt, Outcome outcome) {
    if (outcome.authentication instanceof Authentication.Allow allow) {
      ClientInfo client = ClientInfo.of(attempt, allow.identity());
      return new Admitted(client, allow.identity().permissions(), NO_DATA, provider.name());
    }
    Authentication.Deny deny = (Authentication.Deny) outcome.authentication;
    return clientRefusals.refuse(
        attempt, Refusal.of(deny.reason()), outcome.denialCause, deny.detail(), provider.name());
  }

  private ConnectAdmission denyUnknown(ConnectAttempt attempt) {
    Refusal refusal =
        chain.size() == 1 || attempt.isWithoutCredentials()
            ? Refusal.NOT_AUTHORIZED
            : Refusal.BAD_USER_NAME_OR_PASSWORD;
    String detail =
        chain.size() == 1
            ? "no authentication is configured and securityConfig.allowAnonymous does not admit the"
                + " client; set securityConfig.passwordFile, or securityConfig.allowAnonymous:"
                + " true"
            : attempt.isWithoutCredentials()
                ? "the client sent no user name, and securityConfig.allowAnonymous does not admit"
                    + " it"
                : "unknown user";
    return clientRefusals.refuse(attempt, refusal, DenialCause.NOT_ALLOWED, detail, "");
  }
}
