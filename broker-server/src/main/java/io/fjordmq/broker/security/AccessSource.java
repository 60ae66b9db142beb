package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.Decision;
import io.fjordmq.broker.providers.CallOutcome;
import io.fjordmq.broker.providers.GuardedActions;
import io.fjordmq.broker.providers.GuardedRules;
import io.fjordmq.broker.providers.ProviderInfo;
import io.fjordmq.broker.providers.ProviderMeter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A source of access decisions. Thread-safe; does not block. */
sealed interface AccessSource {

  /** The name shown to operators. */
  String name();

  /** Whether it decides about clients of the listener. */
  boolean serves(String listener);

  /** A source whose rules the broker evaluates itself. */
  sealed interface Local extends AccessSource permits File, Rules, Database {}

  /** A source that is asked about each action. */
  sealed interface Remote extends AccessSource permits PluginSource, Actions {

    /**
     * The result about an action.
     *
     * @param access the resulting decision if the source allows or denies
     */
    record Result(Decision decision, AccessDecision access) {}

    /**
     * Decides about an action. The future never fails; it completes on any thread.
     *
     * @param useCache false to ask the source in any case
     */
    CompletableFuture<Result> decide(
        ClientInfo client, ClientContext context, Action action, boolean useCache);
  }

  /** An ACL file. */
  record File(String name, WatchedFile<AclFile> file, @Nullable ProviderInfo info)
      implements Local {
    @Override
    public boolean serves(String listener) {
      return info == null || info.serves(listener);
    }
  }

  /** A provider of rules. */
  record Rules(GuardedRules provider) implements Local {
    @Override
    public String name() {
      return provider.info().displayName();
    }

    @Override
    public boolean serves(String listener) {
      return provider.info().serves(listener);
    }
  }

  /** The rules in the database. */
  record Database(UserSource users, ProviderInfo info) implements Local {
    @Override
    public String name() {
      return info.displayName();
    }

    @Override
    public boolean serves(String listener) {
      return info.serves(listener);
    }
  }

  /** A plugin with an {@link Authorizer}. */
  record PluginSource(
      Provider<Authorizer> provider, @Nullable ProviderInfo info, ProviderMeter meter)
      implements Remote {
    @Override
    public String name() {
      return provider.name();
    }

    @Override
    public boolean serves(String listener) {
      return info == null || info.serves(listener);
    }

    @Override
    public CompletableFuture<Result> decide(
        ClientInfo client, ClientContext context, Action action, boolean useCache) {
      long begin = System.nanoTime();
      return provider
          .invoke(authorizer -> authorizer.authorize(client, action))
          .handle(
              (decision, error) -> {
                Result result = resultOf(client, action, decision, error);
                meter.onCall(outcomeOf(result), System.nanoTime() - begin);
                return result;
              });
    }

    private Result resultOf(
        ClientInfo client, Action action, @Nullable Decision decision, @Nullable Throwable error) {
      if (decision == Decision.ALLOW) {
        return new Result(decision, AccessDecision.ALLOWED);
      }
      if (decision == Decision.PASS) {
        return new Result(decision, AccessDecision.NOT_ALLOWED);
      }
      DenialCause cause =
          error == null
              ? DenialCause.DENIED
              : provider.cause(error, client.clientId() + ": " + action);
      return new Result(Decision.DENY, AccessDecision.denied(name(), cause));
    }

    private static CallOutcome outcomeOf(Result result) {
      return switch (result.decision) {
        case ALLOW -> CallOutcome.ALLOW;
        case PASS -> CallOutcome.IGNORE;
        case DENY -> result.access.denialCause().outcome();
      };
    }
  }

  /** A provider that decides about actions. */
  record Actions(GuardedActions provider) implements Remote {
    @Override
    public String name() {
      return provider.info().displayName();
    }

    @Override
    public boolean serves(String listener) {
      return provider.info().serves(listener);
    }

    @Override
    public CompletableFuture<Result> decide(
        ClientInfo client, ClientContext context, Action action, boolean useCache) {
      return provider
          .authorize(context, action, useCache)
          .handle(
              (result, error) -> {
                if (result == null) {
                  DenialCause cause = AuthenticationStep.causeOf(error);
                  String message = AuthenticationStep.messageOf(error);
                  return new Result(
                      provider.info().ignoreErrors() ? Decision.PASS : Decision.DENY,
                      new AccessDecision(false, name(), cause, message));
                }
                return switch (result.decision()) {
                  case ALLOW -> new Result(Decision.ALLOW, AccessDecision.ALLOWED);
                  case DENY ->
                      new Result(
                          Decision.DENY,
                          new AccessDecision(false, name(), DenialCause.DENIED, result.rule()));
                  case PASS -> new Result(Decision.PASS, AccessDecision.NOT_ALLOWED);
                };
              });
    }
  }
}
