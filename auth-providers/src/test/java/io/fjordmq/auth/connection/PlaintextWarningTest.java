package io.fjordmq.auth.connection;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.auth.Chain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Warnings about providers without TLS. */
class PlaintextWarningTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(PlaintextWarning.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(lines);
  }

  private List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    for (ILoggingEvent line : lines.list) {
      assertThat(line.getLevel()).isEqualTo(Level.WARN);
      warnings.add(line.getFormattedMessage());
    }
    return warnings;
  }

  @Test
  void shouldKnowLoopbackAddresses() {
    for (String host : List.of("localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1")) {
      assertThat(new ServerAddress(host, 1).isLoopback()).as(host).isTrue();
    }
    for (String host : List.of("192.0.2.1", "2001:db8::1", "127.0.0.1.example.com", "db")) {
      assertThat(new ServerAddress(host, 1).isLoopback()).as(host).isFalse();
    }
  }

  @Test
  void shouldNameTheServersOnOtherHosts() {
    PlaintextWarning.warnIfRemote(
        new ProviderSettings("securityConfig.authentication.0", Map.of()),
        List.of(new ServerAddress("localhost", 1), new ServerAddress("db", 2)));
    assertThat(warnings())
        .singleElement()
        .asString()
        .endsWith("set securityConfig.authentication.0.tls servers=[db:2]");
  }

  /** The directory is not contacted before a client logs in. */
  @Test
  void shouldWarnOfPlainConnectionsToADirectory() throws Exception {
    Map<String, String> plain =
        provider("type", "ldap", "servers", "192.0.2.1", "baseDn", "dc=x", "filter", "(uid=%u)");
    Map<String, String> loopback = provider();
    loopback.putAll(plain);
    loopback.put("servers", "127.0.0.1");
    Map<String, String> encrypted = provider();
    encrypted.putAll(plain);
    encrypted.put("tls", "startTls");
    assertThat(warningsOf(List.of(loopback, encrypted))).isEmpty();
    assertThat(warningsOf(List.of(plain)))
        .satisfiesExactly(
            one -> assertThat(one).contains("securityConfig.authentication.0.tls"),
            one -> assertThat(one).contains("securityConfig.authorization.0.tls"));
  }

  @Test
  void shouldWarnOfPlainConnectionsToRedis() throws Exception {
    Map<String, String> sentinel =
        provider(
            "type",
            "redis",
            "mode",
            "sentinel",
            "sentinelMaster",
            "m",
            "servers",
            "127.0.0.1:1,192.0.2.1:2");
    assertThat(
            warningsOf(
                List.of(
                    provider("type", "redis", "servers", "127.0.0.1:1"),
                    provider("type", "redis", "servers", "192.0.2.1:1", "tls", "true"))))
        .isEmpty();
    assertThat(warningsOf(List.of(sentinel)))
        .satisfiesExactly(
            one ->
                assertThat(one)
                    .endsWith("set securityConfig.authentication.0.tls servers=[192.0.2.1:2]"),
            one -> assertThat(one).contains("securityConfig.authorization.0.tls"));
  }

  @Test
  void shouldWarnOfPlainRequestsToServices() throws Exception {
    assertThat(
            warningsOf(
                List.of(
                    provider("type", "http", "url", "http://localhost:1/auth"),
                    provider("type", "http", "url", "http://[::1]/auth/${clientid}"),
                    provider("type", "http", "url", "https://192.0.2.1/auth"))))
        .isEmpty();
    assertThat(
            warningsOf(List.of(provider("type", "http", "url", "HTTP://192.0.2.1:80/${clientid}"))))
        .satisfiesExactly(
            one ->
                assertThat(one)
                    .endsWith("use https in securityConfig.authentication.0.url servers=192.0.2.1"),
            one -> assertThat(one).contains("securityConfig.authorization.0.url"));
  }

  @Test
  void shouldWarnOfKeysThatCanBeReplacedInTransit() throws Exception {
    for (String url : List.of("http://127.0.0.1:1/jwks", "https://192.0.2.1/jwks")) {
      Chain.open(List.of(provider("type", "jwt", "jwksUrl", url)), List.of()).close();
    }
    assertThat(warnings()).isEmpty();
    Chain.open(List.of(provider("type", "jwt", "jwksUrl", "http://192.0.2.1/jwks")), List.of())
        .close();
    assertThat(warnings()).singleElement().asString().contains("authentication.0.jwksUrl");
  }

  /** Starts the providers, for authentication and for authorization. */
  private List<String> warningsOf(List<Map<String, String>> providers) throws Exception {
    Chain.open(providers, providers).close();
    return warnings();
  }
}
