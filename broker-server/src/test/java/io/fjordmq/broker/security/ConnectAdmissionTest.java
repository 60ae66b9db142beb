package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Extension;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import io.fjordmq.broker.security.SecuritySettings.Anonymous;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which clients may connect. */
class ConnectAdmissionTest {
  /** Created by mosquitto_passwd: user alice, password secret. */
  private static final String ALICE =
      "alice:$7$101$56sMhcGFEjQSocYJ$O03UD9SwIAxqGlcQOMLw3pSTrzA9E3Kw7gO0O2EP99HJjFDyNr1Q8hvnhejegnUGuLpyBecWp0pkfWdW6GeVdQ==";

  private static final String LOCAL_ADDRESS = "127.0.0.1";
  private static final String REMOTE_ADDRESS = "192.0.2.7";

  @TempDir private Path folder;
  private final List<String> denials = new ArrayList<>();
  private final SecurityObserver observer =
      new SecurityObserver() {
        @Override
        public void onDenied(Attempt attempt, DenialCause denialCause) {
          denials.add(attempt.label() + " " + denialCause.label());
        }
      };

  private static ConnectAttempt attempt(
      @Nullable String address, @Nullable String user, @Nullable String password)
      throws IOException {
    return new ConnectAttempt(
        "tcpListener",
        address == null ? null : InetAddress.getByName(address),
        false,
        null,
        5,
        "c",
        user,
        password == null ? null : password.getBytes(StandardCharsets.UTF_8));
  }

  private static String admit(Security security, ConnectAttempt attempt) {
    try {
      ConnectAdmission admission = security.admit(attempt).get(20, TimeUnit.SECONDS);
      return admission instanceof Admitted admitted
          ? "user " + admitted.client().userName()
          : ((Refused) admission).refusal().name();
    } catch (java.util.concurrent.ExecutionException | InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private Security security(SecuritySettings settings, Extension... extensions) {
    return TestSecurity.of(settings, observer, extensions);
  }

  private String writePasswords(String... lines) throws IOException {
    Path file = folder.resolve("passwords");
    return Files.write(file, List.of(lines)).toString();
  }

  private static Security openWithoutPlugins(SecuritySettings settings) {
    try {
      return Security.open(
          settings,
          List.of(),
          UserSource.NONE,
          java.time.InstantSource.system(),
          SecurityObserver.NONE);
    } catch (SecurityStartException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest(name = "allowAnonymous {0}: from {1} with user ''{2}'': {3}")
  @CsvSource({
    "AUTO,     127.0.0.1, '', user null",
    "AUTO,     ::1,       '', user null",
    "AUTO,     unix,      '', user null",
    "AUTO,     127.0.0.1, u,  user null",
    "AUTO,     192.0.2.7, '', NOT_AUTHORIZED",
    "AUTO,     192.0.2.7, u,  NOT_AUTHORIZED",
    "LOOPBACK, 192.0.2.7, '', NOT_AUTHORIZED",
    "LOOPBACK, 127.0.0.1, '', user null",
    "TRUE,     192.0.2.7, '', user null",
    "FALSE,    127.0.0.1, '', NOT_AUTHORIZED"
  })
  void shouldApplyAllowAnonymousWithoutOtherAuthenticators(
      Anonymous whom, String address, String user, String expected) throws IOException {
    Security security = openWithoutPlugins(TestSettings.with("allowAnonymous", whom));
    ConnectAttempt attempt =
        attempt(address.equals("unix") ? null : address, user.isEmpty() ? null : user, null);
    assertThat(admit(security, attempt)).isEqualTo(expected);
  }

  @Test
  void shouldNameTheKeysThatAllowAnonymousClients() throws Exception {
    Security security = openWithoutPlugins(SecuritySettings.DEFAULTS);
    ConnectAdmission admission =
        security.admit(attempt(REMOTE_ADDRESS, null, null)).get(20, TimeUnit.SECONDS);
    assertThat(((Refused) admission).detail())
        .contains("securityConfig.passwordFile", "securityConfig.allowAnonymous: true");
  }

  @ParameterizedTest(name = "allowAnonymous {0}: user ''{1}'' password ''{2}'': {3}")
  @CsvSource({
    "AUTO,     alice, secret, user alice",
    "AUTO,     alice, wrong,  BAD_USER_NAME_OR_PASSWORD",
    "AUTO,     alice, '',     BAD_USER_NAME_OR_PASSWORD",
    "AUTO,     bob,   secret, BAD_USER_NAME_OR_PASSWORD",
    "AUTO,     '',    '',     NOT_AUTHORIZED",
    "LOOPBACK, '',    '',     user null",
    "LOOPBACK, bob,   secret, BAD_USER_NAME_OR_PASSWORD",
    "TRUE,     bob,   secret, BAD_USER_NAME_OR_PASSWORD",
    "FALSE,    alice, secret, user alice"
  })
  void shouldCheckThePasswordFile(Anonymous whom, String user, String password, String expected)
      throws Exception {
    SecuritySettings settings =
        TestSettings.with(
            "allowAnonymous", whom, "passwordFile", writePasswords("# users", "", ALICE));
    try (Security security = security(settings)) {
      ConnectAttempt attempt =
          attempt(
              LOCAL_ADDRESS, user.isEmpty() ? null : user, password.isEmpty() ? null : password);
      for (int i = 0; i < 2; i++) { // the second time, a valid password is cached
        assertThat(admit(security, attempt)).isEqualTo(expected);
      }
    }
  }

  @Test
  void shouldReloadThePasswordFileAndIgnoreAnInvalidOne() throws Exception {
    SecuritySettings settings = TestSettings.with("passwordFile", writePasswords(ALICE));
    try (Security security = security(settings)) {
      ConnectAttempt alice = attempt(LOCAL_ADDRESS, "alice", "secret");
      ConnectAttempt bob = attempt(LOCAL_ADDRESS, "bob", "secret");
      assertThat(admit(security, alice)).isEqualTo("user alice");
      writePasswords(ALICE, "bob:plain text");
      security.poll();
      assertThat(admit(security, alice)).isEqualTo("user alice");
      assertThat(admit(security, bob)).isEqualTo("BAD_USER_NAME_OR_PASSWORD");
      writePasswords(ALICE.replace("alice", "bob"));
      security.poll();
      assertThat(admit(security, bob)).isEqualTo("user bob");
      assertThat(admit(security, alice)).isEqualTo("BAD_USER_NAME_OR_PASSWORD");
      Files.delete(folder.resolve("passwords"));
      security.poll();
      assertThat(admit(security, bob)).isEqualTo("user bob");
    }
  }

  @Test
  void shouldTakeBackTheIdentitiesOfRemovedAndChangedUsers() throws Exception {
    String bob = ALICE.replace("alice", "bob");
    String carol = ALICE.replace("alice", "carol");
    SecuritySettings settings = polledByTheTest(ALICE, bob);
    try (Security security = security(settings)) {
      AtomicInteger searches = new AtomicInteger();
      security.onIdentitiesChanged(searches::incrementAndGet);
      ClientAccess alice = access(security, "alice", "secret");
      ClientAccess ofBob = access(security, "bob", "secret");
      writePasswords(ALICE, carol);
      security.poll();
      assertThat(admit(security, attempt(LOCAL_ADDRESS, "bob", "secret")))
          .as("new logins see the new file at once")
          .isEqualTo("BAD_USER_NAME_OR_PASSWORD");
      assertThat(ofBob.identityFault())
          .as("the file may be incomplete, because it is still being written")
          .isNull();
      ClientAccess ofCarol = access(security, "carol", "secret");
      security.poll();
      assertThat(searches).hasValue(1);
      assertThat(alice.identityFault()).isNull();
      assertThat(ofCarol.identityFault()).isNull();
      assertThat(ofBob.identityFault()).isEqualTo("the user was removed from the password file");
      writePasswords(ALICE.replace("$O03U", "$O03V"), carol);
      security.poll();
      assertThat(alice.identityFault()).isNull();
      security.poll();
      security.poll();
      assertThat(searches).hasValue(2);
      assertThat(alice.identityFault()).isEqualTo("the password of the user changed");
      assertThat(ofCarol.identityFault()).isNull();
    }
  }

  @Test
  void shouldKeepIdentitiesWhileAPasswordFileIsWritten() throws Exception {
    SecuritySettings settings = polledByTheTest(ALICE);
    try (Security security = security(settings)) {
      ClientAccess alice = access(security, "alice", "secret");
      writePasswords();
      security.poll();
      writePasswords(ALICE, ALICE.replace("alice", "bob"));
      security.poll();
      security.poll();
      assertThat(alice.identityFault()).isNull();
    }
  }

  private SecuritySettings polledByTheTest(String... lines) throws IOException {
    return TestSettings.with(
        "passwordFile", writePasswords(lines), "reloadInterval", Duration.ofHours(1));
  }

  private static ClientAccess access(Security security, String user, String password)
      throws Exception {
    ConnectAttempt attempt = attempt(LOCAL_ADDRESS, user, password);
    return security.accessOf((Admitted) security.admit(attempt).get(10, TimeUnit.SECONDS));
  }

  @Test
  void shouldNotStartWithAnInvalidFile() throws IOException {
    String broken = writePasswords("# users", "alice:plain text");
    assertThatThrownBy(() -> openAndClose(TestSettings.with("passwordFile", broken)))
        .hasMessageContaining("securityConfig.passwordFile: " + broken + ":2: the password is not")
        .hasMessageContaining("passwd.sh");
    String twice = writePasswords(ALICE, ALICE);
    assertThatThrownBy(() -> openAndClose(TestSettings.with("passwordFile", twice)))
        .hasMessageContaining("passwords:2: user alice is listed more than once");
    assertThatThrownBy(() -> openAndClose(TestSettings.with("passwordFile", folder + "/none")))
        .hasMessageContaining("file not found");
  }

  private static void openAndClose(SecuritySettings settings) throws Exception {
    Security.open(
            settings,
            List.of(),
            UserSource.NONE,
            java.time.InstantSource.system(),
            SecurityObserver.NONE)
        .close();
  }

  @Test
  void shouldAskAuthenticatorsInOrderUntilOneDecides() throws IOException {
    List<String> asked = new ArrayList<>();
    Authenticator passes =
        attempt -> {
          asked.add("first");
          return Authentication.pass().now();
        };
    Authenticator allows =
        attempt -> {
          asked.add("second");
          return Authentication.allow("u").now();
        };
    Authenticator never =
        attempt -> {
          throw new AssertionError("an earlier authenticator has decided");
        };
    assertThat(
            admit(
                security(SecuritySettings.DEFAULTS, passes, allows, never),
                attempt(REMOTE_ADDRESS, null, null)))
        .isEqualTo("user u");
    assertThat(asked).containsExactly("first", "second");
  }

  @Test
  void shouldDenyWhenAProviderFails() throws IOException {
    Authenticator throwing =
        attempt -> {
          throw new IllegalStateException("broken");
        };
    Authenticator failing =
        attempt -> CompletableFuture.failedFuture(new IOException("no connection"));
    Authenticator empty = attempt -> CompletableFuture.completedFuture(null);
    Authenticator silent = attempt -> new CompletableFuture<>();
    SecuritySettings impatient = TestSettings.with("providerTimeout", Duration.ofMillis(50));
    for (Authenticator bad : List.of(throwing, failing, empty, silent)) {
      Authenticator tooLate = attempt -> Authentication.allow("u").now();
      assertThat(admit(security(impatient, bad, tooLate), attempt(LOCAL_ADDRESS, null, null)))
          .isEqualTo("SERVER_UNAVAILABLE");
    }
    assertThat(denials)
        .containsExactly("connect failed", "connect failed", "connect failed", "connect timed_out");
  }

  @Test
  void shouldDenyWithTheReasonOfTheProvider() throws IOException {
    Authenticator denying = attempt -> new Authentication.Deny(DenyReason.BANNED, "no").now();
    assertThat(
            admit(security(SecuritySettings.DEFAULTS, denying), attempt(LOCAL_ADDRESS, null, null)))
        .isEqualTo(Refusal.BANNED.name());
    assertThat(denials).containsExactly("connect denied");
  }

  @Test
  void shouldBlockAnAddressWithTooManyFailedLogins() throws Exception {
    SecuritySettings settings =
        TestSettings.with("maxLoginFailures", 3, "passwordFile", writePasswords(ALICE));
    try (Security security = security(settings)) {
      for (int i = 0; i < 3; i++) {
        assertThat(admit(security, attempt(REMOTE_ADDRESS, "alice", "guess" + i)))
            .isEqualTo("BAD_USER_NAME_OR_PASSWORD");
      }
      assertThat(admit(security, attempt(REMOTE_ADDRESS, "alice", "secret")))
          .isEqualTo("CONNECTION_RATE_EXCEEDED");
      assertThat(admit(security, attempt("192.0.2.8", "alice", "secret"))).isEqualTo("user alice");
      assertThat(denials).endsWith("connect too_many_failures");
    }
  }

  @Test
  void shouldLimitTheResultsOfConcurrentPasswordGuesses() throws Exception {
    SecuritySettings settings =
        TestSettings.with(
            "maxLoginFailures", 3, "passwordThreads", 1, "passwordFile", writePasswords(ALICE));
    try (Security security = security(settings)) {
      List<CompletableFuture<ConnectAdmission>> all = new ArrayList<>();
      for (String guess : List.of("a", "b", "c", "d", "secret", "e")) {
        String user = guess.equals("e") ? "nobody" : "alice";
        all.add(security.admit(attempt(REMOTE_ADDRESS, user, guess)));
      }
      List<String> refusals = new ArrayList<>();
      for (CompletableFuture<ConnectAdmission> one : all) {
        refusals.add(((Refused) one.get(20, TimeUnit.SECONDS)).refusal().name());
      }
      assertThat(refusals.subList(0, 3)).containsOnly("BAD_USER_NAME_OR_PASSWORD");
      assertThat(refusals.subList(3, 6)).containsOnly("CONNECTION_RATE_EXCEEDED");
    }
  }

  @Test
  void shouldRefuseLoginsWhenTooManyHashesArePending() throws Exception {
    String slow =
        "slow:$argon2id$v=19$m=65536,t=3,p=1$MDEyMzQ1Njc4OWFiY2RlZg$M4074Iv3KwOnKN2ICtqv1H2ChAW7ustvRd8aCfT7DJw";
    SecuritySettings settings =
        TestSettings.with(
            "passwordThreads", 1, "maxWaitingPasswords", 1, "passwordFile", writePasswords(slow));
    try (Security security = security(settings)) {
      List<CompletableFuture<ConnectAdmission>> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        all.add(security.admit(attempt(LOCAL_ADDRESS, "slow", "x")));
      }
      long busy = 0;
      for (CompletableFuture<ConnectAdmission> one : all) {
        Refused refused = (Refused) one.get(20, TimeUnit.SECONDS);
        busy += refused.refusal() == Refusal.SERVER_BUSY ? 1 : 0;
      }
      assertThat(busy).isEqualTo(3);
      assertThat(denials).filteredOn("connect busy"::equals).hasSize(3);
    }
  }

  @Test
  void shouldExtractTheCommonNameOfASubject() {
    assertThat(ClientContext.commonName("CN=dev-7,OU=plant,O=Fjord")).isEqualTo("dev-7");
    assertThat(ClientContext.commonName("OU=plant,CN=a\\,b")).isEqualTo("a,b");
    assertThat(ClientContext.commonName("CN=inner,CN=outer,O=x")).isEqualTo("inner");
    assertThat(ClientContext.commonName("O=x")).isNull();
    assertThat(ClientContext.commonName("")).isNull();
  }
}
