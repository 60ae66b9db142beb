package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.EnhancedAuthenticator.Exchange;
import io.fjordmq.api.plugin.EnhancedAuthenticator.Step;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.providers.ProviderMeter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages of SCRAM, with the example of RFC 7677 and with hostile ones. */
class ScramExchangeTest {
  private static final String CLIENT_NONCE = "rOprNGfwEbeRWgbNEkqO";
  private static final String SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
  private static final String FIRST = "n,,n=user,r=" + CLIENT_NONCE;
  private static final String LAST =
      "c=biws,r=" + CLIENT_NONCE + SERVER_NONCE + ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

  private final Users users = new Users();

  private static final class Users implements UserSource {
    private final Map<String, DatabaseUser> byName = new HashMap<>();

    void add(String name, boolean enabled, long epoch, ScramVerifier... verifiers) {
      UserCredentials credentials = new UserCredentials(null, List.of(verifiers));
      byName.put(
          name, new DatabaseUser(name, "t", enabled, false, Map.of("a", "b"), credentials, epoch));
    }

    @Override
    public @Nullable DatabaseUser find(String userName) {
      return byName.get(userName);
    }

    @Override
    public DatabaseRules rulesOf(ClientContext client) {
      return new DatabaseRules(List.of(), () -> true);
    }

    @Override
    public Object version() {
      return this;
    }

    @Override
    public boolean isUpgradeDue(DatabaseUser user) {
      return false;
    }

    @Override
    public void onPasswordVerified(DatabaseUser user, byte[] password) {}

    @Override
    public byte[] decoySecret() {
      return "secret".getBytes(StandardCharsets.UTF_8);
    }
  }

  private static ScramVerifier pencil(ScramMechanism mechanism) {
    byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
    return ScramVerifier.of(mechanism, 4_096, bytes("pencil"), salt);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private ScramAuthenticator server(ScramMechanism mechanism) {
    return new ScramAuthenticator(
        mechanism, () -> 4_096, users, ProviderMeter.NONE, () -> SERVER_NONCE);
  }

  private Exchange begin(@Nullable ClientInfo current) {
    return server(ScramMechanism.SHA_256).begin(attempt(), current);
  }

  private static ConnectAttempt attempt() {
    return new ConnectAttempt("tcpListener", null, false, null, 5, "c", null, null);
  }

  private static Step next(Exchange exchange, String message) {
    return exchange.next(bytes(message)).toCompletableFuture().join();
  }

  private static String challenge(Step step) {
    assertThat(step).isInstanceOf(Step.Continue.class);
    return text(((Step.Continue) step).data());
  }

  private static String fault(Step step) {
    assertThat(step).isInstanceOf(Step.Failure.class);
    return ((Step.Failure) step).detail();
  }

  @Test
  void shouldPassTheExampleOfRfc7677() {
    users.add("user", true, 1, pencil(ScramMechanism.SHA_256));
    Exchange exchange = begin(null);
    assertThat(challenge(next(exchange, FIRST)))
        .isEqualTo("r=" + CLIENT_NONCE + SERVER_NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
    Step result = next(exchange, LAST);
    assertThat(result).isInstanceOf(Step.Success.class);
    Step.Success success = (Step.Success) result;
    assertThat(text(success.data())).isEqualTo("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    assertThat(success.identity())
        .isEqualTo(new Identity("t", "user", null, Map.of("a", "b"), false, null));
    IdentityCheck check = ((IdentityCheck.Source) exchange).check();
    assertThat(check.fault()).isNull();
    users.byName.clear();
    assertThat(check.fault()).isEqualTo("the user was deleted");
  }

  @ParameterizedTest
  @EnumSource(ScramMechanism.class)
  void shouldTellNobodyWhichUsersExist(ScramMechanism mechanism) {
    users.add("user", true, 1, pencil(mechanism));
    users.add("without", true, 1);
    String known = challenge(next(server(mechanism).begin(attempt(), null), FIRST));
    List<String> salts = new ArrayList<>();
    for (String name : List.of("nobody", "without")) {
      Exchange exchange = server(mechanism).begin(attempt(), null);
      String reply = challenge(next(exchange, FIRST.replace("user", name)));
      assertThat(reply).hasSameSizeAs(known).endsWith(",i=4096");
      salts.add(reply);
      String again =
          challenge(next(server(mechanism).begin(attempt(), null), FIRST.replace("user", name)));
      assertThat(again).as("the salt of %s is always the same", name).isEqualTo(reply);
      String proof = Base64.getEncoder().encodeToString(new byte[mechanism.bytes()]);
      assertThat(fault(next(exchange, "c=biws,r=" + CLIENT_NONCE + SERVER_NONCE + ",p=" + proof)))
          .isEqualTo("wrong password");
    }
    assertThat(salts).doesNotHaveDuplicates();
  }

  @Test
  void shouldRefuseAWrongPasswordLikeAnUnknownUser() {
    users.add("user", true, 1, pencil(ScramMechanism.SHA_256));
    Exchange exchange = begin(null);
    challenge(next(exchange, FIRST));
    assertThat(fault(next(exchange, LAST.replace("p=d", "p=e")))).isEqualTo("wrong password");
  }

  @Test
  void shouldRefuseDisabledAndChangedUsersAtTheEnd() {
    users.add("user", false, 1, pencil(ScramMechanism.SHA_256));
    Exchange disabled = begin(null);
    challenge(next(disabled, FIRST));
    assertThat(fault(next(disabled, LAST))).isEqualTo("the user is disabled");
    Exchange changed = begin(null);
    challenge(next(changed, FIRST));
    users.add("user", true, 2, pencil(ScramMechanism.SHA_256));
    assertThat(fault(next(changed, LAST))).isEqualTo("wrong password");
  }

  @Test
  void shouldNotLetAClientBecomeAnotherUser() {
    users.add("user", true, 1, pencil(ScramMechanism.SHA_256));
    ClientInfo ann = ClientInfo.of(attempt(), Identity.of("ann"));
    assertThat(fault(next(begin(ann), FIRST))).contains("must not change");
    ClientInfo same = ClientInfo.of(attempt(), Identity.of("user"));
    Exchange exchange = begin(same);
    challenge(next(exchange, FIRST));
    assertThat(next(exchange, LAST)).isInstanceOf(Step.Success.class);
  }

  @Test
  void shouldDecodeEscapedNames() {
    users.add("a,b=c", true, 1, pencil(ScramMechanism.SHA_256));
    assertThat(challenge(next(begin(null), "y,a=a=2Cb=3Dc,n=a=2Cb=3Dc,r=x,ext=1")))
        .contains("W22ZaJ0SNY7soEsUEjb6gQ==");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",",
        "n",
        "n,",
        "n,,",
        "n,,n=user",
        "n,,r=x,n=user",
        "n,,n=,r=x",
        "n,,n=user,r=",
        "n,,n=user,r=a b",
        "n,,n=user,r=é",
        "n,,n=us=er,r=x",
        "n,,n=us=2c,r=x",
        "n,,n=user=,r=x",
        "n,,m=1,n=user,r=x",
        "n,a=other,n=user,r=x",
        "n,user,n=user,r=x",
        "p=tls-unique,,n=user,r=x",
        "x,,n=user,r=x",
        "n,,n=us\0er,r=x",
        "c=biws,r=x,p=AAAA"
      })
  void shouldRefuseInvalidFirstMessages(String message) {
    users.add("user", true, 1, pencil(ScramMechanism.SHA_256));
    assertThat(fault(next(begin(null), message))).startsWith("invalid SCRAM message: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "c=biws",
        "c=biws,r=x",
        "c=biws,r=x,p=",
        "c=biws,p=AAAA",
        "c=!,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=AAAA",
        "c=eSws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=AAAA",
        "c=biws,r=rOprNGfwEbeRWgbNEkqO,p=AAAA",
        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=A"
      })
  void shouldRefuseInvalidFinalMessages(String message) {
    users.add("user", true, 1, pencil(ScramMechanism.SHA_256));
    Exchange exchange = begin(null);
    challenge(next(exchange, FIRST));
    assertThat(fault(next(exchange, message))).startsWith("invalid SCRAM message: ");
  }

  @Test
  void shouldSurviveRandomMessages() {
    users.add("user", true, 1, pencil(ScramMechanism.SHA_256));
    Random random = new Random(1);
    byte[][] valid = {bytes(FIRST), bytes(LAST)};
    int failures = 0;
    for (int i = 0; i < 20_000; i++) {
      Exchange exchange = begin(null);
      byte[] first = damage(valid[0], random);
      Step step = exchange.next(first).toCompletableFuture().join();
      if (step instanceof Step.Continue) {
        step = exchange.next(damage(valid[1], random)).toCompletableFuture().join();
      }
      if (step instanceof Step.Failure) {
        failures++;
      } else {
        assertThat(text(first)).contains("n=user").contains(CLIENT_NONCE);
      }
    }
    assertThat(failures).isGreaterThan(10_000);
    assertThat(fault(next(begin(null), "n,,n=" + "u".repeat(4_096) + ",r=x")))
        .contains("more than 4096 bytes");
  }

  private static byte[] damage(byte[] message, Random random) {
    byte[] copy = message.clone();
    for (int left = random.nextInt(3); left > 0; left--) {
      copy[random.nextInt(copy.length)] = (byte) random.nextInt();
    }
    return copy;
  }

  @ParameterizedTest
  @ValueSource(strings = {"pencil", "I\u00ADX", "\u2168", "a\u00A0b", "\u00AA"})
  void shouldPreparePasswordsAsClientsDo(String password) {
    String expected =
        switch (password) {
          case "I\u00ADX", "\u2168" -> "IX";
          case "a\u00A0b" -> "a b";
          case "\u00AA" -> "a";
          default -> password;
        };
    assertThat(text(ScramPassword.prepare(bytes(password)))).isEqualTo(expected);
  }

  @Test
  void shouldKeepPasswordsThatCannotBePrepared() {
    byte[] binary = {(byte) 0xFF, 0};
    assertThat(ScramPassword.prepare(binary)).isEqualTo(binary);
    assertThat(ScramPassword.prepare(bytes("\u00AD"))).isEqualTo(bytes("\u00AD"));
  }
}
