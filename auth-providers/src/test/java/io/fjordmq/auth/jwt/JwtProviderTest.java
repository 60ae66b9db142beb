package io.fjordmq.auth.jwt;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.auth.Chain;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.testing.Await;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens that are signed by the usual kinds of keys, and forged ones. */
class JwtProviderTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir Path folder;

  private static JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .subject("alice")
        .expirationTime(Date.from(Instant.now().plusSeconds(600)));
  }

  private static String token(JWSAlgorithm algorithm, JWSSigner signer, JWTClaimsSet claims)
      throws JOSEException {
    return token(new JWSHeader(algorithm), signer, claims);
  }

  private static String token(JWSHeader header, JWSSigner signer, JWTClaimsSet claims)
      throws JOSEException {
    SignedJWT token = new SignedJWT(header, claims);
    token.sign(signer);
    return token.serialize();
  }

  private static String signed(JWTClaimsSet claims) throws JOSEException {
    return token(JWSAlgorithm.HS256, new MACSigner(SECRET), claims);
  }

  private static Chain chain(String... settings) {
    Map<String, String> values = provider("type", "jwt");
    values.putAll(provider(settings));
    return Chain.open(List.of(values), List.of());
  }

  private String pem(PublicKey key) throws Exception {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded());
    Path file = Files.createTempFile(folder, "key", ".pem");
    return Files.writeString(
            file, "-----BEGIN PUBLIC KEY-----\n" + text + "\n-----END PUBLIC KEY-----\n")
        .toString();
  }

  @Test
  void shouldVerifyHmac() throws Exception {
    try (Chain chain = chain("secret", SECRET)) {
      assertThat(chain.result("c", "u", signed(claims().build()))).isEqualTo("allow");
      String other =
          token(
              JWSAlgorithm.HS256,
              new MACSigner("another-secret-of-32-bytes-000000"),
              claims().build());
      assertThat(chain.result("c", "u", other)).contains("the token has an invalid signature");
      assertThat(chain.result("c", "u", "no token")).contains("unknown user");
      assertThat(chain.result("c", "u", null)).contains("unknown user");
      assertThat(chain.result("c", "u", "a.b.c")).contains("unknown user");
    }
  }

  @Test
  void shouldUseAReplacedSecret() throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), SECRET);
    String next = "another-secret-of-32-bytes-000000";
    String token = token(JWSAlgorithm.HS256, new MACSigner(next), claims().build());
    try (Chain chain = chain("secretFile", file.toString())) {
      assertThat(chain.result("c", "u", signed(claims().build()))).isEqualTo("allow");
      assertThat(chain.result("c", "u", token)).contains("signature");
      Files.writeString(folder.resolve("next"), next);
      Files.move(folder.resolve("next"), file, StandardCopyOption.REPLACE_EXISTING);
      Await.until("the new secret is used", () -> isAllowed(chain, token));
      assertThat(chain.result("c", "u", signed(claims().build()))).contains("signature");
    }
  }

  private static boolean isAllowed(Chain chain, String token) {
    try {
      return chain.result("c", "u", token).equals("allow");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldVerifyRsaEcAndEdDsa() throws Exception {
    RSAKey rsa = new RSAKeyGenerator(2048).generate();
    try (Chain chain = chain("publicKeyFile", pem(rsa.toPublicKey()))) {
      for (JWSAlgorithm one : List.of(JWSAlgorithm.RS256, JWSAlgorithm.RS512, JWSAlgorithm.PS256)) {
        assertThat(chain.result("c", "u", token(one, new RSASSASigner(rsa), claims().build())))
            .as("" + one)
            .isEqualTo("allow");
      }
    }
    ECKey ec = new ECKeyGenerator(Curve.P_256).generate();
    try (Chain chain = chain("publicKeyFile", pem(ec.toPublicKey()))) {
      String good = token(JWSAlgorithm.ES256, new ECDSASigner(ec), claims().build());
      assertThat(chain.result("c", "u", good)).isEqualTo("allow");
      assertThat(chain.result("c", "u", good.substring(0, good.length() - 6) + "AAAAAA"))
          .contains("the token has an invalid signature");
    }
    KeyPair ed = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    try (Chain chain = chain("publicKeyFile", pem(ed.getPublic()))) {
      assertThat(chain.result("c", "u", edToken(ed, null))).isEqualTo("allow");
      KeyPair other = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
      assertThat(chain.result("c", "u", edToken(other, null)))
          .contains("the token has an invalid signature");
    }
  }

  private static String edToken(KeyPair key, @Nullable String kid) throws Exception {
    JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.EdDSA).keyID(kid).build();
    String input = header.toBase64URL() + "." + Base64URL.encode(claims().build().toString());
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(key.getPrivate());
    signature.update(input.getBytes(StandardCharsets.US_ASCII));
    return input + "." + Base64URL.encode(signature.sign());
  }

  @Test
  void shouldRefuseOtherKindsOfAlgorithms() throws Exception {
    String none = new PlainJWT(claims().build()).serialize();
    RSAKey rsa = new RSAKeyGenerator(2048).generate();
    String file = pem(rsa.toPublicKey());
    try (Chain secret = chain("secret", SECRET);
        Chain key = chain("publicKeyFile", file)) {
      assertThat(secret.result("c", "u", none)).contains("tokens with the algorithm none");
      assertThat(key.result("c", "u", none)).contains("tokens with the algorithm none");
      assertThat(
              secret.result(
                  "c", "u", token(JWSAlgorithm.RS256, new RSASSASigner(rsa), claims().build())))
          .contains("no key matches the algorithm RS256");
      // The public key as the secret of an HMAC.
      for (byte[] forged :
          List.of(Files.readAllBytes(Path.of(file)), rsa.toPublicKey().getEncoded())) {
        assertThat(
                key.result(
                    "c", "u", token(JWSAlgorithm.HS256, new MACSigner(forged), claims().build())))
            .contains("no key matches the algorithm HS256");
      }
    }
  }

  @Test
  void shouldCheckTimesAndClaims() throws Exception {
    Instant now = Instant.now();
    try (Chain chain =
        chain(
            "secret",
            SECRET,
            "verifyClaims.sub",
            "${username}",
            "verifyClaims.aud",
            "mqtt-${listener}")) {
      JWTClaimsSet good = claims().audience(List.of("x", "mqtt-tcpListener")).build();
      assertThat(chain.result("c", "alice", signed(good))).isEqualTo("allow");
      Admitted admitted = (Admitted) chain.connect("c", "alice", signed(good));
      assertThat(admitted.identity().expiresAt())
          .isEqualTo(Instant.ofEpochSecond(good.getExpirationTime().getTime() / 1_000));
      assertThat(chain.result("c", "bob", signed(good))).contains("the claim sub does not have");
      assertThat(chain.result("c", null, signed(good))).contains("the claim sub does not have");
      assertThat(chain.result("c", "alice", signed(claims().build())))
          .contains("the claim aud does not have the expected value");
      JWTClaimsSet old =
          new JWTClaimsSet.Builder(good).expirationTime(Date.from(now.minusSeconds(2))).build();
      assertThat(chain.result("c", "alice", signed(old))).contains("the token expired at");
      JWTClaimsSet early =
          new JWTClaimsSet.Builder(good).notBeforeTime(Date.from(now.plusSeconds(60))).build();
      assertThat(chain.result("c", "alice", signed(early))).contains("is not valid before");
      JWTClaimsSet future =
          new JWTClaimsSet.Builder(good).issueTime(Date.from(now.plusSeconds(60))).build();
      assertThat(chain.result("c", "alice", signed(future))).contains("issued in the future");
    }
  }

  @Test
  void shouldReadBothShapesOfRules() throws Exception {
    try (Chain chain = chain("secret", SECRET)) {
      ClientAccess list =
          access(
              chain,
              claims()
                  .claim(
                      "acl",
                      List.of(
                          Map.of("permission", "deny", "action", "publish", "topic", "a/1"),
                          Map.of("permission", "allow", "action", "all", "topic", "a/+"),
                          Map.of("permission", "allow", "action", "publish", "topic", "%c/#")))
                  .build());
      assertThat(mayPublish(list, "a/1")).isFalse();
      assertThat(mayPublish(list, "a/2")).isTrue();
      assertThat(mayPublish(list, "c/x")).isTrue();
      assertThat(mayPublish(list, "d/x")).isFalse();
      assertThat(list.mayReceive(new Topic("a/1"))).isTrue();

      ClientAccess lists =
          access(
              chain,
              claims()
                  .claim(
                      "acl",
                      Map.of(
                          "pub",
                          List.of("p/${username}"),
                          "sub",
                          List.of("s"),
                          "all",
                          List.of("b")))
                  .build());
      assertThat(mayPublish(lists, "p/alice")).isTrue();
      assertThat(mayPublish(lists, "s")).isFalse();
      assertThat(mayPublish(lists, "b")).isTrue();
      assertThat(lists.mayReceive(new Topic("s"))).isTrue();
      assertThat(lists.mayReceive(new Topic("p/alice"))).isFalse();

      assertThat(chain.result("c", "u", signed(claims().claim("acl", "all").build())))
          .contains("the token is invalid");
    }
  }

  private static ClientAccess access(Chain chain, JWTClaimsSet claims) throws Exception {
    return chain.security().accessOf((Admitted) chain.connect("c", "alice", signed(claims)));
  }

  private static boolean mayPublish(ClientAccess access, String topic) {
    return Objects.requireNonNull(access.mayPublish(new Topic(topic), Qos.AT_MOST_ONCE, false, 0))
        .allowed();
  }

  @Test
  void shouldTakeTheTokenFromTheUserName() throws Exception {
    try (Chain chain = chain("secret", SECRET, "from", "username")) {
      Admitted admitted = (Admitted) chain.connect("c", signed(claims().build()), null);
      assertThat(admitted.client().userName()).isEqualTo("alice");
    }
  }

  @Test
  void shouldFollowRotatedKeysOfAJwksDocument() throws Exception {
    RSAKey first = new RSAKeyGenerator(2048).keyID("first").generate();
    RSAKey second = new RSAKeyGenerator(2048).keyID("second").generate();
    KeyPair ed = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] encoded = ed.getPublic().getEncoded();
    OctetKeyPair edKey =
        new OctetKeyPair.Builder(
                Curve.Ed25519,
                Base64URL.encode(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length)))
            .keyID("ed")
            .build();
    AtomicReference<String> document = new AtomicReference<>(jwks(first, edKey));
    AtomicInteger fetched = new AtomicInteger();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/jwks",
        exchange -> {
          fetched.incrementAndGet();
          String answer = Objects.requireNonNull(document.get());
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(
              body.length == 0 ? 500 : 200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try (Chain chain =
        chain(
            "jwksUrl",
            "http://127.0.0.1:" + server.getAddress().getPort() + "/jwks",
            "jwksRefresh",
            "1 s")) {
      String old = token(header(first), new RSASSASigner(first), claims().build());
      String rotated = token(header(second), new RSASSASigner(second), claims().build());
      assertThat(chain.result("c", "u", old)).isEqualTo("allow");
      assertThat(chain.result("c", "u", edToken(ed, "ed"))).isEqualTo("allow");
      for (int i = 0; i < 50; i++) {
        assertThat(chain.result("c", "u", rotated)).contains("no key matches");
      }
      assertThat(fetched.get()).as("unknown keys do not fetch without limit").isLessThan(10);
      document.set(jwks(second));
      assertThat(awaitResult(chain, rotated, "allow")).isEqualTo("allow");
      assertThat(awaitResult(chain, old, "BAD")).contains("no key matches");
      document.set(""); // the server fails
      assertThat(chain.result("c", "u", rotated)).isEqualTo("allow");
      server.stop(0);
      assertThat(chain.result("c", "u", rotated)).isEqualTo("allow");
    } finally {
      server.stop(0);
    }
  }

  private static JWSHeader header(RSAKey key) {
    return new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build();
  }

  private static String jwks(JWK... keys) {
    return new JWKSet(List.of(keys)).toPublicJWKSet().toString();
  }

  private static String awaitResult(Chain chain, String token, String wanted) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    String result = "";
    while (!result.startsWith(wanted) && System.nanoTime() < end) {
      result = chain.result("c", "u", token);
    }
    return result;
  }

  @Test
  void shouldReportInvalidSettings() throws Exception {
    String notAKey = Files.writeString(folder.resolve("x.pem"), "hello").toString();
    assertThat(
            Chain.problems(
                List.of(
                    provider("type", "jwt"),
                    provider("type", "jwt", "secret", SECRET, "publicKeyFile", "x"),
                    provider("type", "jwt", "secret", "short"),
                    provider("type", "jwt", "publicKeyFile", notAKey),
                    provider("type", "jwt", "jwksUrl", "file:///etc/passwd"),
                    provider("type", "jwt", "secret", SECRET, "verifyClaims.a", "${password}")),
                List.of(provider("type", "jwt", "secret", SECRET))))
        .satisfiesExactly(
            one -> assertThat(one).contains("authentication.0 needs exactly one of secret"),
            one -> assertThat(one).contains("authentication.1 needs exactly one of secret"),
            one -> assertThat(one).contains("secret must have at least 32 bytes"),
            one -> assertThat(one).contains("publicKeyFile must contain a public key"),
            one -> assertThat(one).contains("jwksUrl must be an http or https URL"),
            one -> assertThat(one).contains("verifyClaims.a: ${password} cannot be compared"),
            one -> assertThat(one).contains("authorization.0.type must be one of", "not 'jwt'"));
  }
}
