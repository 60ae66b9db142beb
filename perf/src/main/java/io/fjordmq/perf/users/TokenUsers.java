package io.fjordmq.perf.users;

import io.fjordmq.perf.Digests;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON Web Tokens, signed with a secret (HS256), which contain the access rules of their user. The
 * broker needs only the secret.
 *
 * @param acl an ACL file without rules, which denies what a token does not allow
 */
public record TokenUsers(Path acl) implements UserService {
  /** Known to everyone, which is enough for brokers that accept clients from this host only. */
  private static final String SECRET = "secret of the load tool, at least 32 bytes";

  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
  private static final String HEADER = encode("{\"alg\":\"HS256\",\"typ\":\"JWT\"}");
  private static final JsonMapper JSON = JsonMapper.builder().build();

  static TokenUsers write(Path directory) throws IOException {
    Files.createDirectories(directory);
    return new TokenUsers(Files.writeString(directory.resolve("acl"), "# no rules\n"));
  }

  /** Returns the token of a user, which does not expire. */
  static String token(UserAccount account) {
    Map<String, Object> acl = Map.of("pub", account.publishes(), "sub", account.subscribes());
    String claims = JSON.writeValueAsString(Map.of("sub", account.name(), "acl", acl));
    String signed = HEADER + "." + encode(claims);
    byte[] signature =
        Digests.hmacSha256(
            SECRET.getBytes(StandardCharsets.UTF_8), signed.getBytes(StandardCharsets.UTF_8));
    return signed + "." + BASE64.encodeToString(signature);
  }

  private static String encode(String text) {
    return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String configuration() {
    return """
    securityConfig:
      allowAnonymous: loopback
      authentication:
        - {type: jwt, secret: '%s', verifyClaims: {sub: "${username}"}}
      authorization: [{type: aclFile, file: %s}]
    """
        .formatted(SECRET, acl);
  }
}
