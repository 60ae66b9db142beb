package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hashes created by other tools: mosquitto_passwd 2.0.11 ($7$, and $6$ with {@code -H sha512}) and
 * the reference implementation of Argon2.
 */
class PasswordHashTest {
  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest(name = "{index}: {0}")
  @CsvSource(
      delimiter = ' ',
      value = {
        "secret $7$101$56sMhcGFEjQSocYJ$O03UD9SwIAxqGlcQOMLw3pSTrzA9E3Kw7gO0O2EP99HJjFDyNr1Q8hvnhejegnUGuLpyBecWp0pkfWdW6GeVdQ==",
        "'' $7$101$B5Ov1SWbi04DEc7w$AftSDZOwNaYU0Aw7SDzKPMtQKRPgqK0DhQERmNtITnzoWPxGS1NFK1PrpTnqrKYsnSXH8K+FALCBjnhjhJQyIg==",
        "'pä ss' $6$o7uSOHWClXDn/Qva$531zDuB0Jqax7fKEK3hURbML4D8lWUEUbL7n+7VjvGRKNFO99ebm443QMI7mPgnXy5MapT7w76Lhc3QwkaVSaQ==",
        "secret $argon2id$v=19$m=1024,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$M4074Iv3KwOnKN2ICtqv1H2ChAW7ustvRd8aCfT7DJw",
        "'pä ss' $argon2id$v=19$m=64,t=3,p=2$c29tZXNhbHRzb21lc2FsdA$ovK2WecSKUoz2lVXgLxmDfPdsQUjsx8JOiQFD+lhEffwmKsMIhZWHYCdSKMODbn19BSI+uI3sYDk6cS2ftXz8g"
      })
  void shouldVerifyHashesOfOtherTools(String password, String text) {
    PasswordHash hash = PasswordHash.parse(text);
    assertThat(hash.matches(utf8(password))).isTrue();
    assertThat(hash.matches(utf8(password + "x"))).isFalse();
    assertThat(hash.text()).isEqualTo(text);
    assertThat(hash.decoy().matches(utf8(password))).isFalse();
    assertThat(hash.decoy()).hasSameClassAs(hash);
  }

  @Test
  void shouldCreateArgon2idHashesWithAUniqueSalt() {
    SecureRandom random = new SecureRandom();
    PasswordHash one = PasswordHash.of(utf8("x"), random);
    PasswordHash other = PasswordHash.of(utf8("x"), random);
    assertThat(one.text()).startsWith("$argon2id$v=19$m=19456,t=2,p=1$").isNotEqualTo(other.text());
    assertThat(PasswordHash.parse(one.text()).matches(utf8("x"))).isTrue();
    assertThat(PasswordHash.parse(one.text()).matches(utf8("y"))).isFalse();
  }

  @ParameterizedTest(name = "{index}: {0}")
  @ValueSource(
      strings = {
        "plain",
        "",
        "$",
        "$1$salt$hash",
        "$6$c2FsdA==",
        "$6$$aGFzaA==",
        "$6$not base64$aGFzaA==",
        "$7$0$c2FsdA==$aGFzaA==",
        "$7$many$c2FsdA==$aGFzaA==",
        "$7$99999999999$c2FsdA==$aGFzaA==",
        "$argon2id$v=16$m=64,t=1,p=1$c2FsdA$aGFzaA",
        "$argon2id$v=19$m=64,t=1$c2FsdA$aGFzaA",
        "$argon2id$v=19$m=99999999,t=1,p=1$c2FsdA$aGFzaA",
        "$argon2id$v=19$m=64,t=1,p=0$c2FsdA$aGFzaA",
        "$argon2i$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA"
      })
  void shouldRejectInvalidHashes(String text) {
    assertThatThrownBy(() -> PasswordHash.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
