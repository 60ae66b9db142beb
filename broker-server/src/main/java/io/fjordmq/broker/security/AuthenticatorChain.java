package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.security.AuthenticationStep.Outcome;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The chain of authenticators. The first authenticator that allows or denies a client decides; a
 * client on which no authenticator decides is refused. Thread-safe.
 */
final class AuthenticatorChain {
  private static final byte[] NO_DATA = {};

  /** The step that decided, and its decision; both are null if none decided. */
  private record Verdict(@Nullable AuthenticationStep step, @Nullable Outcome outcome) {}

  private static final Verdict NONE = new Verdict(null, null);

  private final List<AuthenticationStep> chain;
  private final ClientRefusals clientRefusals;

  /**
   * @param chain the authenticators in order, ending with {@link AnonymousAuthenticator}
   */
  AuthenticatorChain(List<AuthenticationStep> chain, ClientRefusals clientRefusals) {
    this.chain = chain;
    this.clientRefusals = clientRefusals;
  }

  CompletableFuture<ConnectAdmission> admit(Login login) {
    ConnectAttempt attempt = login.attempt();
    return decide(login, 0, NONE, step -> {})
        .thenApply(verdict -> unlessBlocked(attempt, () -> toAdmission(attempt, verdict)));
  }

  /**
   * Authenticates without consequences: a failure is neither counted nor logged.
   *
   * @param recorder receives the result of each provider
   * @return the result; pass if no provider decided
   */
  CompletableFuture<Authentication> test(Login login, Consumer<ChainStep> recorder) {
    return decide(login, 0, NONE, recorder)
        .thenApply(
            verdict ->
                verdict.outcome == null ? Authentication.pass() : verdict.outcome.authentication());
  }

  /**
   * Calls the authenticators from an index on.
   *
   * @param undecided the verdict if none of them decides: none, or that a provider has failed,
   *     which must not look like wrong credentials
   */
  private CompletableFuture<Verdict> decide(
      Login login, int from, Verdict undecided, Consumer<ChainStep> recorder) {
    int index = from;
    while (index < chain.size() && !chain.get(index).serves(login.attempt().listener())) {
      index++;
    }
    if (index == chain.size()) {
      return CompletableFuture.completedFuture(undecided);
    }
    AuthenticationStep step = chain.get(index);
    int next = index + 1;
    long begin = System.nanoTime();
    return step.decide(login)
        .thenCompose(
            outcome -> {
              recorder.accept(record(step, outcome, System.nanoTime() - begin));
              if (!(outcome.authentication() instanceof Authentication.Pass)) {
                return CompletableFuture.completedFuture(new Verdict(step, outcome));
              }
              DenialCause cause = outcome.denialCause();
              Verdict otherwise =
                  cause == DenialCause.DENIED
                      ? undecided
                      : new Verdict(step, AuthenticationStep.failure(cause, outcome.detail()));
              return decide(login, next, otherwise, recorder);
            });
  }

  private static ChainStep record(AuthenticationStep step, Outcome outcome, long nanos) {
    String result =
        outcome.denialCause() != DenialCause.DENIED
            ? "error"
            : outcome.authentication() instanceof Authentication.Allow
                ? "allow"
                : outcome.authentication() instanceof Authentication.Pass ? "ignore" : "deny";
    return new ChainStep("authentication", step.name(), result, outcome.detail(), nanos);
  }

  private ConnectAdmission unlessBlocked(
      ConnectAttempt attempt, Supplier<ConnectAdmission> decision) {
    Refused blocked = clientRefusals.refuseIfBlocked(attempt);
    return blocked == null ? decision.get() : blocked;
  }

  private ConnectAdmission toAdmission(ConnectAttempt attempt, Verdict verdict) {
    Outcome outcome = verdict.outcome;
    AuthenticationStep step = verdict.step;
    if (outcome == null || step == null) {
      return denyUnknown(attempt);
    }
    String name = step.name();
    if (outcome.authentication() instanceof Authentication.Allow allow) {
      ClientInfo client = ClientInfo.of(attempt, allow.identity());
      clientRefusals.onSuccess(attempt, client.userName());
      return Admitted.of(client, allow.identity(), NO_DATA, name).checkedBy(outcome.check());
    }
    Authentication.Deny deny = (Authentication.Deny) outcome.authentication();
    return clientRefusals.refuse(
        attempt,
        Refusal.of(deny.reason()),
        outcome.denialCause(),
        deny.detail(),
        name,
        deny.reasonString());
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
