package io.fjordmq.auth.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.auth.ProviderSettings;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The expected hashes are those of md5sum, sha1sum, sha256sum, sha512sum, and Python's hashlib. */
class StoredHashTest {

  private static StoredHash hash(String... keysAndValues) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return StoredHash.of(new ProviderSettings("test", values), StoredHash.Kind.PLAIN);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "plain,  prefix,  public",
    "md5,    disable, 4c9184f37cff01bcdc32dc486ec36961",
    "md5,    prefix,  e3bff459980643b33e708ddf3ffc10c9",
    "sha,    suffix,  4f2ef9f47c53ae954d068e66580ed5f11d4861f3",
    "sha256, prefix,  d0f782283bafa6f19855145bd9178c5dbd4e3352c1d69ee95b3cbaaa4f5cd084",
    "sha256, suffix,  8c0b6ecb8fff9b2cdebc66c9c71e92cc06ffa9aa262d6fa6d90d490c541cef26",
    "sha512, disable, d32997e9747b65a3ecf65b82533a4c843c4e16dd30cf371e8c81ab60a341de00051da422d41ff29c55695f233a1e06fac8b79aeb0a4d91ae5d3d18c8e09b8c73"
  })
  void shouldCompareDigests(String kind, String position, String stored) {
    StoredHash hash = hash("passwordHash", kind, "saltPosition", position);
    assertThat(hash.matches(bytes("public"), stored, "NaCl")).isTrue();
    assertThat(hash.matches(bytes("Public"), stored, "NaCl")).isFalse();
    assertThat(hash.matches(bytes("public"), stored + "00", "NaCl")).isFalse();
    assertThat(hash.matches(bytes(""), "", "NaCl")).isFalse();
  }

  @Test
  void shouldCompareBcrypt() {
    StoredHash hash = hash("passwordHash", "bcrypt");
    String stored = "$2b$06$abcdefghijklmnopqrstuuieUN37.lewJSI2/4pqBcTzOBQZKSjim";
    assertThat(hash.matches(bytes("public"), stored, "")).isTrue();
    assertThat(hash.matches(bytes("Public"), stored, "")).isFalse();
    assertThat(hash.matches(bytes("public"), "$2b$nonsense", "")).isFalse();
    assertThat(hash.matches(bytes("public"), "", "")).isFalse();
    assertThat(hash.matches(bytes("p".repeat(73)), stored, "")).isFalse();
  }

  @Test
  void shouldComparePbkdf2() {
    StoredHash hash =
        hash("passwordHash", "pbkdf2", "pbkdf2Iterations", "1000", "pbkdf2Digest", "sha256");
    String stored = "950288785a42f1eef858c8ed8ed00b02e0778f090343eccdc5542b165c65ed2a";
    assertThat(hash.matches(bytes("public"), stored, "NaCl")).isTrue();
    assertThat(hash.matches(bytes("public"), stored, "Nacl")).isFalse();
    assertThat(hash.matches(bytes("Public"), stored, "NaCl")).isFalse();
    assertThat(hash.matches(bytes("public"), "zz", "NaCl")).isFalse();
    assertThat(hash.matches(bytes("public"), "", "NaCl")).isFalse();
  }
}
