package io.fjordmq.auth.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchemeHashTest {
  private static boolean matches(String password, String stored) {
    return SchemeHash.matches(bytes(password), bytes(stored));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldCompareTheHashesThatEmqxDocuments() {
    assertThat(matches("mqttuser0001", "{SHA}mlb3fat40MKBTXUVZwCKmL73R/0=")).isTrue();
    assertThat(matches("mqttuser0002", "{SSHA}n9XdtoG4Q/TQ3TQF4Y+khJbMBH4qXj4M")).isTrue();
    assertThat(matches("mqttuser0003", "{md5}ybsPGoaK3nDyiQvveiCOIw==")).isTrue();
    assertThat(matches("mqttuser0001", "{MD5}ybsPGoaK3nDyiQvveiCOIw==")).isFalse();
  }

  @Test
  void shouldAddTheSaltBehindThePassword() throws Exception {
    for (String name : List.of("SSHA:SHA-1", "SSHA256:SHA-256", "SSHA512:SHA-512", "SMD5:MD5")) {
      String[] parts = name.split(":", 2);
      byte[] hash = MessageDigest.getInstance(parts[1]).digest(bytes("secretNaCl"));
      byte[] salted = new byte[hash.length + 4];
      System.arraycopy(hash, 0, salted, 0, hash.length);
      System.arraycopy(bytes("NaCl"), 0, salted, hash.length, 4);
      String stored = "{" + parts[0] + "}" + Base64.getEncoder().encodeToString(salted);
      assertThat(matches("secret", stored)).as(name).isTrue();
      assertThat(matches("secretNaCl", stored)).as(name).isFalse();
      assertThat(matches("secretNaCl", stored.replace("{SS", "{S"))).as(name).isFalse();
    }
  }

  @Test
  void shouldMatchNothingIfTheStoredValueIsNoHash() {
    assertThat(matches("secret", "secret")).isTrue();
    assertThat(matches("", "")).isFalse();
    assertThat(matches("{SHA}", "{SHA}")).isFalse();
    assertThat(matches("x", "{SHA}not base64!")).isFalse();
    assertThat(matches("x", "{SSHA}YWJj")).isFalse();
    assertThat(matches("{", "{")).isTrue();
    assertThatThrownBy(() -> matches("x", "{CRYPT}$6$a$b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("{CRYPT} are not supported");
  }
}
