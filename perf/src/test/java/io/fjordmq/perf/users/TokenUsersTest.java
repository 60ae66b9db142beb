package io.fjordmq.perf.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Tokens with the rules of their user. */
class TokenUsersTest {
  @TempDir Path directory;

  @Test
  void shouldSignTheRulesOfAUser() throws Exception {
    String token =
        TokenUsers.token(new UserAccount("p0", List.of("perf/+/0"), List.of("perf/+/1")));
    String[] parts = token.split("\\.");
    assertThat(new JsonMapper().readValue(decoded(parts[1]), Object.class))
        .isEqualTo(
            Map.of(
                "sub",
                "p0",
                "acl",
                Map.of("pub", List.of("perf/+/0"), "sub", List.of("perf/+/1"))));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(configuredSecret().getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    assertThat(Base64.getUrlDecoder().decode(parts[2]))
        .isEqualTo(mac.doFinal((parts[0] + "." + parts[1]).getBytes(StandardCharsets.UTF_8)));
  }

  private String configuredSecret() throws Exception {
    try (TokenUsers users = TokenUsers.write(directory)) {
      return FirstProvider.setting(users, "authentication", "secret");
    }
  }

  private static String decoded(String part) {
    return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
  }
}
