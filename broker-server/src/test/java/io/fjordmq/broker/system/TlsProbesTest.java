package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.broker.testing.Certs;
import io.fjordmq.testing.FreePorts;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Probes the TLS listener and the HTTPS port of a broker with default settings, like testssl.sh,
 * with each TLS library. docs/SECURITY.md lists what these tests prove.
 */
@Tag("slow")
class TlsProbesTest {
  private static final Path OPENSSL = Path.of("/usr/bin/openssl");
  private static final long PROBE_SECONDS = 20;

  /** Lets the client offer what its own defaults forbid. */
  private static final String ANYTHING = "@SECLEVEL=0";

  /** The cipher suites of Mozilla's intermediate profile for a certificate with an RSA key. */
  private static final List<String> INTERMEDIATE =
      List.of(
          "ECDHE-RSA-AES128-GCM-SHA256",
          "ECDHE-RSA-AES256-GCM-SHA384",
          "ECDHE-RSA-CHACHA20-POLY1305");

  @TempDir Path folder;

  private record Result(int code, String output) {
    boolean connected() {
      return output.contains("-----BEGIN CERTIFICATE-----");
    }
  }

  private static Result openssl(String... arguments) {
    try {
      Process process = start(arguments);
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(PROBE_SECONDS, TimeUnit.SECONDS)).as(output).isTrue();
      return new Result(process.exitValue(), output);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(OPENSSL.toString()));
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static Result probe(int port, String... options) {
    List<String> arguments =
        new ArrayList<>(List.of("s_client", "-connect", "127.0.0.1:" + port, "-showcerts"));
    arguments.addAll(Arrays.asList(options));
    return openssl(arguments.toArray(String[]::new));
  }

  private String write(Certs certs, X509Bundle server, boolean key) {
    return (key ? certs.key("rsa", server) : certs.certificate("rsa", server)).toString();
  }

  @ParameterizedTest
  @CsvSource({"BoringSSL, false", "JDK, true"})
  void shouldKeepToTheIntermediateProfile(String library, boolean noOpenSsl) throws Exception {
    assumeTrue(Files.isExecutable(OPENSSL), "openssl is not installed; bin/test.sh installs it");
    Certs certs = new Certs(folder);
    X509Bundle server = certs.serverWithRsaKey();
    int port = FreePorts.one();
    String section = "FJORDMQ_MQTTSERVERCONFIG__TLSLISTENER__";
    List<String> environment =
        List.of(
            "env",
            section + "HOST=127.0.0.1",
            section + "PORT=" + port,
            section + "CERTFILE=" + write(certs, server, false),
            section + "KEYFILE=" + write(certs, server, true),
            "FJORDMQ_HTTPCONFIG__CERTFILE=" + write(certs, server, false),
            "FJORDMQ_HTTPCONFIG__KEYFILE=" + write(certs, server, true),
            "JAVA_TOOL_OPTIONS=-Dio.netty.handler.ssl.noOpenSsl=" + noOpenSsl);
    try (BrokerUnderTest broker =
        BrokerUnderTest.startIn(folder.resolve("broker"), "", environment)) {
      assertThat(broker.output()).contains("tls=" + library);
      for (int probed : new int[] {port, broker.httpPort()}) {
        acceptsOnlyCurrentVersions(probed);
        refusesRenegotiation(probed);
        compressesNothing(probed);
      }
      acceptsOnlyTheCiphersOfTheProfile(port);
      Path session = resumesSessions(port);
      broker.stop();
      broker.restart();
      assertThat(probe(port, "-tls1_2", "-sess_in", session.toString()).output())
          .as("the keys of tickets exist only in memory")
          .contains("New, TLSv1.2");
    }
  }

  private static void acceptsOnlyCurrentVersions(int port) {
    assertThat(probe(port, "-tls1_3").connected()).isTrue();
    assertThat(probe(port, "-tls1_2").connected()).isTrue();
    for (String old : List.of("-tls1_1", "-tls1")) {
      Result result = probe(port, old, "-cipher", "ALL:" + ANYTHING);
      assertThat(result.connected()).as(old).isFalse();
      // The server has refused it, not the client.
      assertThat(result.output()).contains("alert protocol version");
    }
  }

  /** Offers every cipher suite that openssl has, one after the other. */
  private static void acceptsOnlyTheCiphersOfTheProfile(int port) {
    String all = openssl("ciphers", "-tls1_2", "-s", "ALL:COMPLEMENTOFALL:" + ANYTHING).output();
    List<String> offered = List.of(all.strip().split(":"));
    assertThat(offered)
        .containsAll(INTERMEDIATE)
        .contains("AES128-SHA", "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA", "ADH-AES128-SHA");
    TreeSet<String> accepted = new TreeSet<>();
    for (String cipher : offered) {
      if (probe(port, "-tls1_2", "-cipher", cipher + ":" + ANYTHING).connected()) {
        accepted.add(cipher);
      }
    }
    assertThat(accepted).containsExactlyInAnyOrderElementsOf(INTERMEDIATE);
  }

  /** A line with "R" lets openssl renegotiate; it ends when the server ends the connection. */
  private static void refusesRenegotiation(int port) throws Exception {
    long begin = System.nanoTime();
    Process process = start("s_client", "-connect", "127.0.0.1:" + port, "-tls1_2");
    process.getOutputStream().write("R\n".getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush(); // not closed, otherwise openssl would end by itself
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(PROBE_SECONDS, TimeUnit.SECONDS)).as(output).isTrue();
    assertThat(output).contains("Cipher is ECDHE-RSA").contains("RENEGOTIATING");
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .as("earlier than the timeout of a connection without a CONNECT or request: " + output)
        .isLessThan(Duration.ofSeconds(8));
  }

  private static void compressesNothing(int port) {
    assertThat(probe(port, "-tls1_2", "-comp").output()).contains("Compression: NONE");
  }

  private Path resumesSessions(int port) {
    Path session = folder.resolve("session.pem");
    assertThat(probe(port, "-tls1_2", "-sess_out", session.toString()).output())
        .contains("New, TLSv1.2")
        .contains("TLS session ticket:");
    assertThat(probe(port, "-tls1_2", "-sess_in", session.toString()).output())
        .contains("Reused, TLSv1.2");
    return session;
  }
}
