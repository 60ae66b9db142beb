package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of providers. */
class ProviderChainTest {
  @TempDir Path folder;

  private final List<Map<String, String>> authentication = new ArrayList<>();
  private final List<Map<String, String>> authorization = new ArrayList<>();
  private UserSource users = UserSource.NONE;
  private @Nullable Security security;

  @AfterEach
  void close() throws InterruptedException {
    if (security != null) {
      security.close();
    }
  }

  private static Map<String, String> provider(String... keysAndValues) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return values;
  }

  private static SortedMap<Integer, ProviderEntry> entries(
      Chain chain, List<Map<String, String>> providers) {
    SortedMap<Integer, ProviderEntry> entries = new TreeMap<>();
    for (Map<String, String> values : providers) {
      entries.put(
          entries.size(),
          new ProviderEntry(chain, entries.size(), values.getOrDefault("type", ""), values));
    }
    return entries;
  }

  private SecuritySettings settings() {
    return TestSettings.with()
        .withProviders(
            entries(Chain.AUTHENTICATION, authentication),
            entries(Chain.AUTHORIZATION, authorization));
  }

  private Security open() throws SecurityStartException {
    security = Security.open(settings(), List.of(), users, SecurityObserver.NONE);
    return security;
  }

  private static ConnectAttempt attempt(String clientId, String listener) {
    return new ConnectAttempt(
        listener, null, false, null, 5, clientId, "alice", "pw".getBytes(StandardCharsets.UTF_8));
  }

  private ConnectAdmission admit() throws Exception {
    return admit("tcpListener");
  }

  private ConnectAdmission admit(String listener) throws Exception {
    Security opened = security == null ? open() : security;
    return opened.admit(attempt("c", listener)).get(10, TimeUnit.SECONDS);
  }

  private ClientAccess access() throws Exception {
    ConnectAdmission admission = admit();
    assertThat(admission).isInstanceOf(Admitted.class);
    if (security == null) {
      throw new AssertionError();
    }
    return security.accessOf((Admitted) admission);
  }

  private static boolean mayPublish(ClientAccess access, String topic) throws Exception {
    return access
        .mayPublishWill(new Action.Publish(new Topic(topic), Qos.AT_LEAST_ONCE, false, true))
        .get(10, TimeUnit.SECONDS)
        .allowed();
  }

  private static AccessDecision subscribe(ClientAccess access, String filter) throws Exception {
    return access
        .maySubscribe(new Action.Subscribe(TopicFilter.parse(filter), Qos.AT_LEAST_ONCE))
        .get(10, TimeUnit.SECONDS);
  }

  @Test
  void shouldAskTheNextProviderOnlyIfOneIgnoresTheClient() throws Exception {
    authentication.add(provider("type", "scripted", "result", "ignore"));
    authentication.add(provider("type", "scripted", "result", "allow"));
    authentication.add(provider("type", "scripted", "result", "deny"));
    assertThat(admit())
        .isInstanceOfSatisfying(
            Admitted.class,
            one -> assertThat(one.decidedBy()).isEqualTo("authentication scripted:2"));
  }

  @Test
  void shouldRefuseAClientThatAllProvidersIgnore() throws Exception {
    authentication.add(provider("type", "scripted", "result", "ignore"));
    assertThat(admit())
        .isInstanceOfSatisfying(
            Refused.class,
            one -> assertThat(one.refusal()).isEqualTo(Refusal.BAD_USER_NAME_OR_PASSWORD));
  }

  @Test
  void shouldDenyIfAProviderFailsUnlessItsErrorsAreIgnored() throws Exception {
    authentication.add(provider("type", "scripted", "result", "error"));
    authentication.add(provider("type", "scripted", "result", "allow"));
    assertThat(admit())
        .isInstanceOfSatisfying(
            Refused.class,
            one -> {
              assertThat(one.refusal()).isEqualTo(Refusal.SERVER_UNAVAILABLE);
              assertThat(one.decidedBy()).isEqualTo("authentication scripted");
              assertThat(one.detail()).contains("failed: scripted");
            });
    close();
    security = null;
    authentication.get(0).put("onError", "ignore");
    assertThat(admit()).isInstanceOf(Admitted.class);
  }

  @Test
  void shouldNotAdmitAnyoneBecauseAllProvidersFailAndAreIgnored() throws Exception {
    authentication.add(provider("type", "scripted", "result", "error", "onError", "ignore"));
    authentication.add(
        provider("type", "scripted", "result", "never", "onError", "ignore", "timeout", "50 ms"));
    authentication.add(provider("type", "scripted", "result", "ignore"));
    assertThat(admit())
        .as("not like wrong credentials, which would count as a failed login")
        .isInstanceOfSatisfying(
            Refused.class, one -> assertThat(one.refusal()).isEqualTo(Refusal.SERVER_UNAVAILABLE));
  }

  @Test
  void shouldRefuseAsUnavailableIfAProviderDoesNotAnswer() throws Exception {
    authentication.add(provider("type", "scripted", "result", "never", "timeout", "50 ms"));
    assertThat(admit())
        .isInstanceOfSatisfying(
            Refused.class,
            one -> {
              assertThat(one.refusal()).isEqualTo(Refusal.SERVER_UNAVAILABLE);
              assertThat(one.detail()).contains("no response within 50 ms");
            });
  }

  @Test
  void shouldUseAProviderOnlyForItsListeners() throws Exception {
    authentication.add(
        provider("type", "scripted", "result", "deny", "listeners", "tlsListener, wssListener"));
    authentication.add(provider("type", "scripted", "result", "allow"));
    assertThat(admit("tcpListener")).isInstanceOf(Admitted.class);
    assertThat(admit("wssListener")).isInstanceOf(Refused.class);
  }

  @Test
  void shouldSkipDisabledProviders() throws Exception {
    authentication.add(provider("type", "scripted", "result", "deny", "enable", "false"));
    authentication.add(provider("type", "scripted", "result", "allow", "name", "second"));
    assertThat(admit()).isInstanceOf(Admitted.class);
  }

  @Test
  void shouldLetASuperuserDoEverything() throws Exception {
    authentication.add(provider("type", "scripted", "superuser", "true"));
    authorization.add(provider("type", "scripted", "result", "deny"));
    ClientAccess access = access();
    assertThat(access.isUnrestricted()).isTrue();
    assertThat(mayPublish(access, "a")).isTrue();
    assertThat(subscribe(access, "#").allowed()).isTrue();
    assertThat(access.mayReceive(new Topic("$SYS/x"))).isTrue();
  }

  @Test
  void shouldEvaluateRulesOfAProviderItself() throws Exception {
    authentication.add(provider("type", "scripted"));
    authorization.add(
        provider(
            "type",
            "scripted",
            "rules",
            "deny read_write a/secret, allow write a/#, allow read dev/%c/+"));
    ClientAccess access = access();
    assertThat(mayPublish(access, "a/b")).isTrue();
    assertThat(mayPublish(access, "a/secret")).isFalse();
    assertThat(mayPublish(access, "b")).isFalse();
    assertThat(subscribe(access, "dev/c/x").allowed()).isTrue();
    assertThat(subscribe(access, "dev/#").allowed()).as("some of it").isTrue();
    assertThat(access.mayReceive(new Topic("dev/c/x"))).isTrue();
    assertThat(access.mayReceive(new Topic("dev/other/x"))).isFalse();
    AccessDecision denied =
        Objects.requireNonNull(
            access.mayPublish(new Topic("a/secret"), Qos.AT_MOST_ONCE, false, 0));
    assertThat(denied.decidedBy()).isEqualTo("authorization scripted");
    assertThat(denied.rule()).isEqualTo("scripted: deny read_write a/secret");
  }

  @Test
  void shouldRefuseAClientWhoseRulesCannotBeLoaded() throws Exception {
    authentication.add(provider("type", "scripted"));
    authorization.add(provider("type", "scripted", "result", "error", "rules", "allow read a"));
    assertThat(admit())
        .isInstanceOfSatisfying(
            Refused.class,
            one -> {
              assertThat(one.refusal()).isEqualTo(Refusal.SERVER_UNAVAILABLE);
              assertThat(one.decidedBy()).isEqualTo("authorization scripted");
            });
    close();
    security = null;
    authorization.get(0).put("onError", "ignore");
    ClientAccess access = access();
    assertThat(mayPublish(access, "a")).as("never allowed because of an error").isFalse();
    assertThat(access.mayReceive(new Topic("a"))).isFalse();
  }

  @Test
  void shouldLoadChangedRulesAfterTheCacheWasCleared() throws Exception {
    Path rules = Files.writeString(folder.resolve("rules"), "allow write a\n");
    authentication.add(provider("type", "scripted"));
    authorization.add(provider("type", "scripted", "rulesFile", rules.toString()));
    ClientAccess access = access();
    assertThat(mayPublish(access, "a")).isTrue();
    Files.writeString(rules, "allow write b\n");
    assertThat(mayPublish(access, "a")).as("until the interval has passed").isTrue();
    if (security == null) {
      throw new AssertionError();
    }
    security.providers().clearCaches(Chain.AUTHORIZATION);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (mayPublish(access, "a") && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(mayPublish(access, "a")).isFalse();
    assertThat(mayPublish(access, "b")).isTrue();
  }

  @Test
  void shouldKeepTheOrderOfRulesAndServices() throws Exception {
    authentication.add(provider("type", "scripted"));
    authorization.add(provider("type", "scripted", "rules", "deny read_write a/#"));
    authorization.add(provider("type", "scripted", "result", "ignore"));
    authorization.add(provider("type", "scripted", "rules", "allow write b, allow read c/1"));
    ClientAccess access = access();
    assertThat(access.mayPublish(new Topic("a/x"), Qos.AT_MOST_ONCE, false, 0))
        .as("denied without asking the service")
        .isNotNull();
    assertThat(access.mayPublish(new Topic("b"), Qos.AT_MOST_ONCE, false, 0)).isNull();
    assertThat(mayPublish(access, "b")).isTrue();
    assertThat(mayPublish(access, "z")).isFalse();
    assertThat(subscribe(access, "a/x").allowed()).isFalse();
    assertThat(subscribe(access, "a/x").rule()).isEqualTo("scripted: deny read_write a/#");
    assertThat(subscribe(access, "c/1").allowed()).isTrue();
    assertThat(subscribe(access, "c/+").allowed())
        .as("partly allowed, but messages are not checked with the service")
        .isFalse();
  }

  @Test
  void shouldDenyClientsOfListenersThatNoSourceServes() throws Exception {
    authentication.add(provider("type", "scripted"));
    authorization.add(provider("type", "scripted", "result", "allow", "listeners", "other"));
    ClientAccess access = access();
    assertThat(access.isUnrestricted()).isFalse();
    assertThat(mayPublish(access, "a")).isFalse();
    assertThat(access.mayReceive(new Topic("a"))).isFalse();
  }

  @Test
  void shouldReportEachStepOfATest() throws Exception {
    authentication.add(provider("type", "scripted", "result", "ignore", "name", "first"));
    authentication.add(provider("type", "scripted", "result", "allow", "name", "second"));
    authorization.add(provider("type", "scripted", "rules", "allow write a"));
    authorization.add(provider("type", "scripted", "result", "error", "name", "service"));
    LoginDryRun.Result result =
        open()
            .trial()
            .run(
                attempt("c", "tcpListener"),
                null,
                new Action.Publish(new Topic("b"), Qos.AT_MOST_ONCE, false, false))
            .get(10, TimeUnit.SECONDS);
    assertThat(result.admitted()).isTrue();
    assertThat(result.allowed()).isFalse();
    assertThat(result.steps())
        .extracting(ChainStep::provider, ChainStep::result)
        .containsExactly(
            tuple("authentication first", "ignore"),
            tuple("authentication second", "allow"),
            tuple("authorization scripted", "loaded"),
            tuple("authorization scripted", "ignore"),
            tuple("authorization service", "error"));
    assertThat(result.reason()).contains("authorization service");
  }

  @Test
  void shouldRefuseAListThatIgnoresAnOlderKey() {
    authentication.add(provider("type", "scripted"));
    SecuritySettings settings =
        TestSettings.with("passwordFile", "conf/passwords", "useCommonNameAsUsername", true)
            .withProviders(
                entries(Chain.AUTHENTICATION, authentication),
                entries(Chain.AUTHORIZATION, authorization));
    assertThat(SecurityFiles.problems(settings, Map.of()))
        .anyMatch(one -> one.contains("add '- type: passwordFile'"))
        .anyMatch(one -> one.contains("add '- type: x509'"));
  }

  @Test
  void shouldRefuseAListOfAuthorizationThatIsDisabled() {
    authentication.add(provider("type", "scripted"));
    authorization.add(provider("type", "scripted", "enable", "false"));
    assertThatThrownBy(this::open)
        .isInstanceOf(SecurityStartException.class)
        .hasMessageContaining("every provider is disabled");
  }

  @Test
  void shouldReportInvalidSettingsBeforeTheStart() {
    authentication.add(provider("type", "scripted", "result", "perhaps"));
    authentication.add(provider("type", "scripted", "timeout", "5"));
    authentication.add(provider("type", "passwordFile", "file", "nowhere"));
    authentication.add(provider("type", "x509", "username", "shoeSize"));
    assertThat(SecurityFiles.problems(settings(), Map.of()))
        .anyMatch(one -> one.startsWith("securityConfig.authentication.0.result must be one of"))
        .anyMatch(one -> one.startsWith("securityConfig.authentication.1.timeout must be a dur"))
        .anyMatch(one -> one.startsWith("securityConfig.authentication.2.file: file not found"))
        .anyMatch(one -> one.startsWith("securityConfig.authentication.3.username must be one"));
  }
}
