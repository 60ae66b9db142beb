package io.fjordmq.broker.security;

import io.fjordmq.api.auth.AuthenticationResult;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.broker.providers.CallFailedException;
import io.fjordmq.broker.providers.CallOutcome;
import io.fjordmq.broker.providers.GuardedAuthentication;
import io.fjordmq.broker.providers.ProviderInfo;
import io.fjordmq.broker.providers.ProviderMeter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One authenticator of the chain. Thread-safe; does not block. */
sealed interface AuthenticationStep {

  /**
   * The decision of an authenticator.
   *
   * @param denialCause the cause of a denial; if the client is passed on because of a failure, its
   *     cause, otherwise {@link DenialCause#DENIED}
   * @param detail the reason, for operators; empty if there is nothing to say
   * @param check tells whether an identity that was allowed is still valid
   */
  record Outcome(
      Authentication authentication, DenialCause denialCause, String detail, IdentityCheck check) {

    /** An outcome without an identity that becomes invalid before it expires. */
    Outcome(Authentication authentication, DenialCause denialCause, String detail) {
      this(authentication, denialCause, detail, IdentityCheck.ALWAYS_VALID);
    }

    /** An outcome that lets the next authenticator decide. */
    static Outcome passed(String detail) {
      return new Outcome(Authentication.pass(), DenialCause.DENIED, detail);
    }

    /** An outcome that refuses the client. */
    static Outcome denied(String detail) {
      return new Outcome(Authentication.deny(detail), DenialCause.DENIED, detail);
    }

    /** An outcome for a client whose password was not verified. */
    static Outcome busy() {
      String detail = PasswordVerifier.BUSY_DETAIL;
      return new Outcome(
          new Authentication.Deny(DenyReason.SERVER_BUSY, detail), DenialCause.BUSY, detail);
    }

    /** The outcome for metrics. */
    CallOutcome call() {
      if (authentication instanceof Authentication.Allow) {
        return CallOutcome.ALLOW;
      }
      return authentication instanceof Authentication.Pass
          ? CallOutcome.IGNORE
          : denialCause.outcome();
    }
  }

  /** The name shown to operators, e.g. {@code authentication redis}. */
  String name();

  /** Whether it is called for clients of the listener. */
  boolean serves(String listener);

  /** Decides on a client. The future never fails; it completes on any thread. */
  CompletableFuture<Outcome> decide(Login login);

  /** An authenticator that is part of the broker or of a plugin. */
  record Direct(Provider<Authenticator> provider, @Nullable ProviderInfo info, ProviderMeter meter)
      implements AuthenticationStep {

    @Override
    public String name() {
      return info == null ? provider.name() : info.displayName();
    }

    @Override
    public boolean serves(String listener) {
      return info == null || info.serves(listener);
    }

    @Override
    public CompletableFuture<Outcome> decide(Login login) {
      long begin = System.nanoTime();
      return provider
          .invoke(authenticator -> authenticator.authenticate(login.attempt()))
          .handle(
              (authentication, error) -> {
                Outcome outcome = outcomeOf(login, authentication, error);
                meter.onCall(outcome.call(), System.nanoTime() - begin);
                return outcome;
              });
    }

    private Outcome outcomeOf(
        Login login, @Nullable Authentication authentication, @Nullable Throwable error) {
      if (authentication instanceof Authentication.Deny deny) {
        boolean busy = deny.reason() == DenyReason.SERVER_BUSY;
        return new Outcome(deny, busy ? DenialCause.BUSY : DenialCause.DENIED, deny.detail());
      }
      if (authentication != null) {
        return new Outcome(authentication, DenialCause.DENIED, "");
      }
      DenialCause cause =
          error == null
              ? DenialCause.FAILED
              : provider.cause(error, "connect " + login.attempt().clientId());
      return failure(cause, cause.label());
    }
  }

  /** A password file or the database of users. */
  record Passwords(
      String name, PasswordLogins users, @Nullable ProviderInfo info, ProviderMeter meter)
      implements AuthenticationStep {

    @Override
    public boolean serves(String listener) {
      return info == null || info.serves(listener);
    }

    @Override
    public CompletableFuture<Outcome> decide(Login login) {
      long begin = System.nanoTime();
      return users
          .authenticate(login.attempt())
          .handle(
              (decided, error) -> {
                Outcome outcome =
                    decided == null ? failure(DenialCause.FAILED, String.valueOf(error)) : decided;
                meter.onCall(outcome.call(), System.nanoTime() - begin);
                return outcome;
              });
    }
  }

  /** A provider with limits, a circuit breaker and a cache. */
  record Guarded(GuardedAuthentication provider) implements AuthenticationStep {

    @Override
    public String name() {
      return provider.info().displayName();
    }

    @Override
    public boolean serves(String listener) {
      return provider.info().serves(listener);
    }

    @Override
    public CompletableFuture<Outcome> decide(Login login) {
      return provider
          .authenticate(login.context(), login.useCache(), login.abandoned())
          .handle(this::outcomeOf);
    }

    private Outcome outcomeOf(@Nullable AuthenticationResult result, @Nullable Throwable error) {
      if (result != null) {
        DenialCause cause = result.failed() ? DenialCause.FAILED : DenialCause.DENIED;
        return new Outcome(result.authentication(), cause, result.detail());
      }
      DenialCause cause = causeOf(error);
      String detail = cause.label() + ": " + messageOf(error);
      if (provider.info().ignoreErrors()) {
        return new Outcome(Authentication.pass(), cause, detail);
      }
      return failure(cause, detail);
    }
  }

  /** Returns the outcome for a client on which a provider could not decide. */
  static Outcome failure(DenialCause cause, String detail) {
    DenyReason reason =
        cause == DenialCause.BUSY ? DenyReason.SERVER_BUSY : DenyReason.SERVER_UNAVAILABLE;
    return new Outcome(new Authentication.Deny(reason, detail), cause, detail);
  }

  /** Returns why a provider did not respond. */
  static DenialCause causeOf(@Nullable Throwable error) {
    if (unwrap(error) instanceof CallFailedException failure) {
      return switch (failure.outcome()) {
        case TIMED_OUT -> DenialCause.TIMED_OUT;
        case BUSY -> DenialCause.BUSY;
        default -> DenialCause.FAILED;
      };
    }
    return DenialCause.FAILED;
  }

  /** Returns the reason of a failed call, for operators. */
  static String messageOf(@Nullable Throwable error) {
    return CallFailedException.messageOf(error);
  }

  private static @Nullable Throwable unwrap(@Nullable Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
