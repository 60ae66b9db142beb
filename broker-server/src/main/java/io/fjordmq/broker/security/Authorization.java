package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/** The sources of access decisions in order, shared by all clients. Thread-safe. */
final class Authorization {
  static final String ACL_FILE = "securityConfig.aclFile";

  private final List<AccessSource> sources;
  private final int cachedTopics;
  private final long cacheMillis;
  private final boolean hasRules;
  private final InstantSource clock;
  // One element per listener.
  private final Map<String, List<AccessSource>> byListener = new ConcurrentHashMap<>();
  private final LocalRules openRules = LocalRules.none();

  Authorization(List<AccessSource> sources, SecuritySettings settings, InstantSource clock) {
    this.sources = List.copyOf(sources);
    this.cachedTopics = settings.cachedTopics();
    this.cacheMillis = settings.cacheTime().toMillis();
    this.hasRules = sources.stream().anyMatch(AccessSource.Rules.class::isInstance);
    this.clock = clock;
  }

  /** Whether clients are not restricted. */
  boolean isOpen() {
    return sources.isEmpty();
  }

  /** The sources that decide about clients of a listener. */
  List<AccessSource> sourcesOf(String listener) {
    return byListener.computeIfAbsent(
        listener, name -> sources.stream().filter(source -> source.serves(name)).toList());
  }

  /** The rules of all clients if none of them is restricted. */
  LocalRules openRules() {
    return openRules;
  }

  /** Whether rules of clients are loaded again from time to time. */
  boolean hasRules() {
    return hasRules;
  }

  /** The wall clock, in milliseconds. */
  long nowMillis() {
    return clock.millis();
  }

  int cachedTopics() {
    return cachedTopics;
  }

  long cacheMillis() {
    return cacheMillis;
  }

  /**
   * Loads the rules of an admitted client.
   *
   * @param abandoned whether the client has disconnected
   * @return the client with its rules, or its refusal; never fails
   */
  CompletableFuture<ConnectAdmission> loadRules(
      ConnectAttempt attempt,
      Admitted admitted,
      ClientRefusals refusals,
      BooleanSupplier abandoned) {
    if (sources.isEmpty() || admitted.identity().superuser()) {
      return CompletableFuture.completedFuture(admitted);
    }
    ClientContext context = ClientContext.of(attempt, admitted.identity());
    List<CompletableFuture<ClientRules>> loading = new ArrayList<>();
    for (AccessSource source : sourcesOf(attempt.listener())) {
      if (source instanceof AccessSource.Rules rules) {
        loading.add(ClientRules.load(rules.provider(), context, true, nowMillis(), abandoned));
      }
    }
    return CompletableFuture.allOf(loading.toArray(CompletableFuture[]::new))
        .handle(
            (done, error) ->
                error == null
                    ? admitted.withRules(
                        context, loading.stream().map(CompletableFuture::join).toList())
                    : refuse(attempt, error, loading, refusals));
  }

  private ConnectAdmission refuse(
      ConnectAttempt attempt,
      Throwable error,
      List<CompletableFuture<ClientRules>> loading,
      ClientRefusals refusals) {
    int failed = 0;
    while (failed < loading.size() && !loading.get(failed).isCompletedExceptionally()) {
      failed++;
    }
    List<AccessSource> providers =
        sourcesOf(attempt.listener()).stream()
            .filter(AccessSource.Rules.class::isInstance)
            .toList();
    DenialCause cause = AuthenticationStep.causeOf(error);
    return refusals.refuse(
        attempt,
        cause == DenialCause.BUSY ? Refusal.SERVER_BUSY : Refusal.SERVER_UNAVAILABLE,
        cause,
        "the client's rules cannot be loaded: " + AuthenticationStep.messageOf(error),
        failed < providers.size() ? providers.get(failed).name() : "");
  }
}
