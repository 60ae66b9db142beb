package io.fjordmq.auth.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.fjordmq.auth.examples.ExampleNode;
import io.fjordmq.auth.examples.MqttProbe;
import io.fjordmq.testing.DocumentedSection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration in docs/AUTHENTICATION.md works as it is, with another JWKS document. */
@Tag("slow")
class JwtExampleTest {
  private static final String HOST = "https://id.example.com";
  private static final String PATH = "/.well-known/jwks.json";

  @TempDir Path folder;

  @Test
  void shouldRunTheExample() throws Exception {
    String yaml = DocumentedSection.of("AUTHENTICATION.md", "jwt").example("yaml", 0);
    assertThat(yaml).contains(HOST + PATH);
    ECKey key = new ECKeyGenerator(Curve.P_256).keyID("1").generate();
    HttpServer issuer = issuer(key);
    String url = "http://127.0.0.1:" + issuer.getAddress().getPort();
    try (ExampleNode node = ExampleNode.start(folder, yaml.replace(HOST, url))) {
      node.refuses("alice", "wrong");
      node.refuses("bob", token(key));
      node.refuses("alice", token(new ECKeyGenerator(Curve.P_256).keyID("1").generate()));
      node.refuses(null, null);
      try (MqttProbe alice = node.login("c1", "alice", token(key))) {
        assertThat(alice.mayPublish("site/1")).isTrue();
        assertThat(alice.maySubscribe("site/#")).isTrue();
        assertThat(alice.mayPublish("commands/1")).isFalse();
        assertThat(alice.maySubscribe("commands/#")).isFalse();
      }
    } finally {
      issuer.stop(0);
    }
  }

  private static HttpServer issuer(ECKey key) throws Exception {
    byte[] document = new JWKSet(key).toPublicJWKSet().toString().getBytes(StandardCharsets.UTF_8);
    HttpServer issuer =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    issuer.createContext(
        PATH,
        exchange -> {
          exchange.sendResponseHeaders(200, document.length);
          exchange.getResponseBody().write(document);
          exchange.close();
        });
    issuer.start();
    return issuer;
  }

  private static String token(ECKey key) throws Exception {
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build(),
            new JWTClaimsSet.Builder()
                .subject("alice")
                .expirationTime(Date.from(Instant.now().plusSeconds(600)))
                .claim(
                    "acl",
                    List.of(
                        Map.of("permission", "allow", "action", "all", "topic", "site/#"),
                        Map.of("permission", "deny", "action", "all", "topic", "#")))
                .build());
    token.sign(new ECDSASigner(key));
    return token.serialize();
  }
}
