package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImportedHashTest {
  private static final String H32 = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  private static final String H66 =
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  private static final String H64 =
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==";

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Computed with Python's hashlib. */
  @ParameterizedTest
  @CsvSource({
    "sha256, $sha256$prefix$c2FsdA==$vt6QOG1FDOqLd7gi+IhwZeTlq/Eywvncz8x/vUy6XjU=",
    "sha256, $sha256$suffix$c2FsdA==$+E+iFJ27Yu1ODPH1UNKUmzOmUT06dwfghQJRHHnMsO4=",
    "md5, $md5$none$$Xr4ilOzQ4PCOq3aQ0qbuaQ==",
    "sha, $sha$prefix$c2FsdA==$2gDsLm/57U00KyShbiYsgvPIsQs=",
    "pbkdf2-sha256, $pbkdf2-sha256$1000$c2FsdA==$qN+JnzxPIE2WfgrWPAkph8EAVeuwF7PZ0ordIY1Peq0="
  })
  void shouldRecognizePasswords(String kind, String text) {
    PasswordHash hash = PasswordHash.parse(text);
    assertThat(hash.text()).isEqualTo(text);
    assertThat(hash.kind()).isEqualTo(kind);
    assertThat(hash.isCurrent()).isFalse();
    assertThat(hash.matches(bytes("secret"))).isTrue();
    assertThat(hash.matches(bytes("Secret"))).isFalse();
    assertThat(hash.decoy().matches(bytes("secret"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"2a", "2b", "2y"})
  void shouldRecognizePasswordsOfBcrypt(String version) {
    String text = OpenBSDBCrypt.generate(version, bytes("secret"), bytes("0123456789abcdef"), 4);
    PasswordHash hash = PasswordHash.parse(text);
    assertThat(hash.text()).isEqualTo(text);
    assertThat(hash.kind()).isEqualTo("bcrypt");
    assertThat(hash.matches(bytes("secret"))).isTrue();
    assertThat(hash.matches(bytes("Secret"))).isFalse();
    assertThat(hash.matches(bytes("secret\0x"))).isFalse();
    assertThat(hash.decoy().matches(bytes("secret"))).isFalse();
  }

  @Test
  void shouldNotAcceptPasswordsThatBcryptTruncates() {
    byte[] longest = bytes("x".repeat(72));
    String text = OpenBSDBCrypt.generate("2b", longest, bytes("0123456789abcdef"), 4);
    PasswordHash hash = PasswordHash.parse(text);
    assertThat(hash.matches(longest)).isTrue();
    assertThat(hash.matches(bytes("x".repeat(73)))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$sha256$prefix$$aGFzaA==",
        "$sha256$none$c2FsdA==$aGFzaA==",
        "$sha256$middle$c2FsdA==$aGFzaA==",
        "$sha256$prefix$c2FsdA==",
        "$2b$04$short",
        "$2b$31$.....................................................",
        "$2b$4$.....................................................",
        "$pbkdf2-sha256$0$c2FsdA==$aGFzaA==",
        "$1$salt$hash"
      })
  void shouldRefuseInvalidHashes(String text) {
    assertThatThrownBy(() -> PasswordHash.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$7$101$c2FsdA==$AA==",
        "$7$1000001$c2FsdA==$" + H64,
        "$7$10000000$c2FsdA==$" + H64,
        "$7$101$" + H66 + "$" + H64,
        "$7$101$c2FsdA==$" + H66,
        "$6$c2FsdA==$" + H32,
        "$md5$none$$" + H32,
        "$sha$none$$" + H32,
        "$sha256$none$$" + H64,
        "$sha512$none$$" + H32,
        "$pbkdf2-sha256$1000001$c2FsdA==$" + H32,
        "$pbkdf2-sha256$1000$c2FsdA==$AAAA",
        "$2b$13$.....................................................",
        "$argon2id$v=19$m=1048576,t=1,p=1$c2FsdHNhbHQ$" + H32,
        "$argon2id$v=19$m=65537,t=1,p=1$c2FsdHNhbHQ$" + H32,
        "$argon2id$v=19$m=65536,t=6,p=1$c2FsdHNhbHQ$" + H32,
        "$argon2id$v=19$m=64,t=1,p=5$c2FsdHNhbHQ$" + H32,
        "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$AAAA"
      })
  void shouldNotImportCostlyOrShortHashes(String text) {
    assertThat(PasswordHash.parse(text).text()).as("valid in a password file").isNotEmpty();
    assertThatThrownBy(() -> ImportLimits.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$7$1000000$c2FsdA==$" + H64,
        "$6$c2FsdA==$" + H64,
        "$sha256$none$$" + H32,
        "$sha512$none$$" + H64,
        "$pbkdf2-sha256$1000000$c2FsdA==$" + H32,
        "$2b$12$.....................................................",
        "$argon2id$v=19$m=65536,t=5,p=4$c2FsdHNhbHQ$" + H32
      })
  void shouldImportHashesOfOtherSystems(String text) {
    assertThat(ImportLimits.parse(text).kind()).isEqualTo(PasswordHash.parse(text).kind());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "opensesame",
        "$opensesame",
        "$opensesame$",
        "$7$opensesame$c2FsdA==$aGFzaA==",
        "$6$opensesame!$aGFzaA==",
        "$argon2id$opensesame$m=64,t=1,p=1$c2FsdA$aGFzaA",
        "$argon2id$v=19$opensesame$c2FsdA$aGFzaA",
        "$argon2id$v=19$m=opensesame,t=1,p=1$c2FsdA$aGFzaA"
      })
  void shouldNotRepeatAPasswordInItsMessages(String text) {
    assertThatThrownBy(() -> PasswordHash.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasNoCause()
        .hasMessageNotContaining("opensesame");
  }
}
