package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.revocation.CertificateRevocation.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Tests the configuration with the credentials of a client. Asks every provider without using
 * cached results; does not count or log failed logins. Thread-safe.
 */
public final class LoginDryRun {
  private static final byte[] NO_DATA = {};

  private final AuthenticatorChain authenticators;
  private final Authorization authorization;
  private final RevocationCheck certificates;

  /**
   * The result.
   *
   * @param admitted whether the client could connect
   * @param identity the identity; null if the client could not connect
   * @param allowed whether the client could perform the action; null if it was not tested
   * @param reason why the client could not connect or perform the action; empty if it could
   * @param steps the results of the providers in order
   */
  public record Result(
      boolean admitted,
      @Nullable Identity identity,
      @Nullable Boolean allowed,
      String reason,
      List<ChainStep> steps) {}

  LoginDryRun(
      AuthenticatorChain authenticators,
      Authorization authorization,
      RevocationCheck certificates) {
    this.authenticators = authenticators;
    this.authorization = authorization;
    this.certificates = certificates;
  }

  /**
   * Tests a login and an action.
   *
   * @param issuers the issuers of the client's certificate; null if they are not known
   * @param action null to test only the login
   */
  public CompletableFuture<Result> run(
      ConnectAttempt attempt, @Nullable List<X509Certificate> issuers, @Nullable Action action) {
    List<ChainStep> steps = Collections.synchronizedList(new ArrayList<>());
    X509Certificate certificate = attempt.certificate();
    if (certificate == null || !certificates.isEnabled()) {
      return authenticate(attempt, action, steps);
    }
    long begin = System.nanoTime();
    return certificates
        .test(certificate, issuers)
        .thenCompose(
            refusal -> {
              String result =
                  refusal.map(Refusal::cause).map(LoginDryRun::resultOf).orElse("allow");
              String detail = refusal.isEmpty() ? "" : refusal.get().detail();
              String by = refusal.isEmpty() ? "revocation" : refusal.get().decidedBy();
              steps.add(
                  new ChainStep("certificate", by, result, detail, System.nanoTime() - begin));
              return refusal.isEmpty()
                  ? authenticate(attempt, action, steps)
                  : CompletableFuture.completedFuture(
                      new Result(false, null, null, detail, List.copyOf(steps)));
            });
  }

  private static String resultOf(Refusal.Cause cause) {
    return cause == Refusal.Cause.UNDETERMINED ? "error" : "deny";
  }

  private CompletableFuture<Result> authenticate(
      ConnectAttempt attempt, @Nullable Action action, List<ChainStep> steps) {
    Login login = new Login(attempt, ClientContext.of(attempt), false, () -> false);
    return authenticators
        .test(login, steps::add)
        .thenCompose(
            result -> {
              if (result instanceof Authentication.Allow allow) {
                return authorize(attempt, allow.identity(), action, steps);
              }
              String reason =
                  result instanceof Authentication.Deny deny
                      ? deny.detail()
                      : "no provider knows the client";
              return CompletableFuture.completedFuture(
                  new Result(false, null, null, reason, List.copyOf(steps)));
            });
  }

  private CompletableFuture<Result> authorize(
      ConnectAttempt attempt, Identity identity, @Nullable Action action, List<ChainStep> steps) {
    Admitted admitted = Admitted.of(ClientInfo.of(attempt, identity), identity, NO_DATA, "test");
    if (action == null) {
      return CompletableFuture.completedFuture(
          new Result(true, identity, null, "", List.copyOf(steps)));
    }
    if (identity.superuser() || (identity.permissions() == null && authorization.isOpen())) {
      return CompletableFuture.completedFuture(
          new Result(true, identity, true, "", List.copyOf(steps)));
    }
    ClientContext context = ClientContext.of(attempt, identity);
    List<CompletableFuture<Loaded>> loading =
        authorization.sourcesOf(attempt.listener()).stream()
            .filter(AccessSource.Rules.class::isInstance)
            .map(source -> load((AccessSource.Rules) source, context))
            .toList();
    return CompletableFuture.allOf(loading.toArray(CompletableFuture[]::new))
        .thenCompose(
            done -> {
              List<ClientRules> rules = new ArrayList<>();
              for (CompletableFuture<Loaded> one : loading) {
                Loaded loaded = one.join(); // complete
                steps.add(loaded.step);
                if (loaded.rules == null) {
                  return CompletableFuture.completedFuture(
                      new Result(false, identity, null, loaded.step.detail(), List.copyOf(steps)));
                }
                rules.add(loaded.rules);
              }
              return LocalRules.of(authorization, admitted.withRules(context, rules))
                  .evaluator(admitted.client())
                  .test(action, steps::add)
                  .thenApply(decision -> resultOf(identity, decision, steps));
            });
  }

  /** The rules of a provider, null if it failed, and the step. */
  private record Loaded(@Nullable ClientRules rules, ChainStep step) {}

  private CompletableFuture<Loaded> load(AccessSource.Rules source, ClientContext context) {
    long begin = System.nanoTime();
    return ClientRules.load(
            source.provider(), context, false, authorization.nowMillis(), () -> false)
        .handle(
            (rules, error) ->
                new Loaded(
                    rules,
                    new ChainStep(
                        "authorization",
                        source.name(),
                        rules == null ? "error" : "loaded",
                        rules == null
                            ? AuthenticationStep.messageOf(error)
                            : rules.current().rules().size() + " rules",
                        System.nanoTime() - begin)));
  }

  private static Result resultOf(
      Identity identity, AccessDecision decision, List<ChainStep> steps) {
    String reason = "";
    if (!decision.allowed()) {
      String by = decision.decidedBy().isEmpty() ? "no provider allows it" : decision.decidedBy();
      reason = decision.rule().isEmpty() ? by : by + ": " + decision.rule();
    }
    return new Result(true, identity, decision.allowed(), reason, List.copyOf(steps));
  }
}
