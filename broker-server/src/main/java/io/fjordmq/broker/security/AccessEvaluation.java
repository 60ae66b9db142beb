package io.fjordmq.broker.security;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.Decision;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates all sources in order for an action of a client, with the rules that the client had when
 * the evaluation was created. The first source that allows or denies decides. Immutable; continues
 * on the threads on which sources respond.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value; the array does not change
record AccessEvaluation(
    List<AccessSource> sources,
    @Nullable TopicRules own,
    @Nullable TopicRules[] rules,
    ClientInfo client,
    @Nullable ClientContext context) {

  /** The state before a source is evaluated. */
  private record State(
      Action action,
      boolean partial,
      boolean askedRemote,
      boolean useCache,
      Consumer<ChainStep> recorder) {
    private State withPartial() {
      return new State(action, true, askedRemote, useCache, recorder);
    }

    private State withRemote() {
      return new State(action, partial, true, useCache, recorder);
    }
  }

  /** Decides about an action. The future never fails. */
  CompletableFuture<AccessDecision> evaluate(Action action) {
    return ofOwn(new State(action, false, false, true, step -> {}));
  }

  /**
   * Decides about an action without using cached results.
   *
   * @param recorder receives the result of each source
   */
  CompletableFuture<AccessDecision> test(Action action, Consumer<ChainStep> recorder) {
    return ofOwn(new State(action, false, false, false, recorder));
  }

  private CompletableFuture<AccessDecision> ofOwn(State state) {
    Local decision = own == null ? null : ofRules(own, LocalRules.OWN, state);
    if (decision == null) {
      return from(0, state);
    }
    return decision.access == null
        ? from(0, decision.state)
        : CompletableFuture.completedFuture(decision.access);
  }

  private CompletableFuture<AccessDecision> from(int first, State initial) {
    State state = initial;
    for (int i = first; i < sources.size(); i++) {
      AccessSource source = sources.get(i);
      if (source instanceof AccessSource.Remote remote) {
        return ofRemote(remote, i + 1, state.withRemote());
      }
      TopicRules local = rules[i];
      if (local != null) {
        Local decision = ofRules(local, source.name(), state);
        if (decision.access != null) {
          return CompletableFuture.completedFuture(decision.access);
        }
        state = decision.state;
      }
    }
    // A subscription is granted if some of its messages may be read, because every message is
    // checked; but a plugin or a service is not asked about messages.
    return CompletableFuture.completedFuture(
        state.partial && !state.askedRemote ? AccessDecision.ALLOWED : AccessDecision.NOT_ALLOWED);
  }

  private CompletableFuture<AccessDecision> ofRemote(
      AccessSource.Remote source, int next, State state) {
    long begin = System.nanoTime();
    return source
        .decide(client, Objects.requireNonNull(context), state.action, state.useCache)
        .thenCompose(
            result -> {
              AccessDecision access = result.access();
              boolean failed =
                  access.denialCause() != DenialCause.DENIED
                      && access.denialCause() != DenialCause.NOT_ALLOWED;
              String text = failed ? "error" : textOf(result.decision());
              record(state, source.name(), text, access.rule(), System.nanoTime() - begin);
              return result.decision() == Decision.PASS
                  ? from(next, state)
                  : CompletableFuture.completedFuture(access);
            });
  }

  /** The decision of rules, or what is known after them. */
  private record Local(@Nullable AccessDecision access, State state) {}

  private static Local ofRules(TopicRules rules, String name, State state) {
    long begin = System.nanoTime();
    Local decision =
        state.action instanceof Action.Publish publish
            ? new Local(
                LocalRules.decidePublish(
                    rules, name, publish.topic(), publish.qos(), publish.retain()),
                state)
            : ofSubscription(rules, name, (Action.Subscribe) state.action, state);
    AccessDecision access = decision.access;
    String result =
        access == null
            ? decision.state.partial && !state.partial ? "partial" : "ignore"
            : access.allowed() ? "allow" : "deny";
    record(state, name, result, access == null ? "" : access.rule(), System.nanoTime() - begin);
    return decision;
  }

  private static Local ofSubscription(
      TopicRules rules, String name, Action.Subscribe subscription, State state) {
    TopicFilter filter = subscription.filter();
    return switch (rules.readable(filter, subscription.qos())) {
      case ALL -> new Local(AccessDecision.ALLOWED, state);
      case PARTIAL -> new Local(null, state.withPartial());
      case NONE -> new Local(null, state);
      case DENIED ->
          // What earlier rules allow is not affected.
          new Local(
              state.partial
                  ? AccessDecision.ALLOWED
                  : new AccessDecision(
                      false,
                      name,
                      DenialCause.NOT_ALLOWED,
                      rules.originOfDenial(filter, subscription.qos())),
              state);
    };
  }

  private static String textOf(Decision decision) {
    return switch (decision) {
      case ALLOW -> "allow";
      case DENY -> "deny";
      case PASS -> "ignore";
    };
  }

  private static void record(State state, String name, String result, String rule, long nanos) {
    state.recorder.accept(new ChainStep("authorization", name, result, rule, nanos));
  }
}
