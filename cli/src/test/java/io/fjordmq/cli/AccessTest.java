package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How commands find a node, their credentials, and what they say if that fails. */
class AccessTest {
  private static final String PASSWORD = "password";
  private static final String REQUEST = "GET /voters";
  private static final String REPLY = "{\"inbox\":3}";

  @TempDir Path folder;

  private final FakeApi api = new FakeApi().on(REQUEST, REPLY);

  @AfterEach
  void stop() {
    api.close();
  }

  private Path running(String url) throws IOException {
    Path control = Files.createDirectories(folder.resolve("data/control"));
    Files.writeString(
        control.resolve("api.json"), "{\"url\":\"" + url + "\",\"token\":\"tok-en_1\"}\n");
    return folder.resolve("data");
  }

  private String lastAuthorization() {
    return api.requests().get(api.requests().size() - 1).authorization();
  }

  @Test
  void shouldUseTheTokenOfTheNodeOnThisHost() throws IOException {
    Cli cli = new Cli().directory(running(api.url()));
    assertThat(cli.line("voters")).isEqualTo(new Cli.Result(0, "inbox\t3\n", ""));
    assertThat(lastAuthorization()).isEqualTo("Bearer tok-en_1");
    // An API key given on the command line decides about the role.
    assertThat(cli.line("--api-key k:s:t voters").code()).isZero();
    assertThat(lastAuthorization()).isEqualTo("Basic azpzOnQ=");
    // -d chooses the node on this host even if the environment names another one.
    cli.env("FJORDMQ_API_URL", "http://127.0.0.1:1");
    assertThat(cli.line("-d " + folder + " voters").code()).isZero();
    assertThat(cli.line("voters -c x.yml").code()).isZero();
    assertThat(cli.line("voters -c x.yml --url " + api.url()).err())
        .contains("omit them with --url");
  }

  @Test
  void shouldAcceptOptionsBeforeAndAfterTheCommand() {
    assertThat(new Cli().line("--url " + api.url() + "/api/v5/ voters --api-key k:s").code())
        .isZero();
    assertThat(new Cli().line("cluster --api-key k:s status --url " + api.url()).err())
        .contains("nothing prepared: GET /cluster");
    assertThat(lastAuthorization()).isEqualTo("Basic azpz");
  }

  @Test
  void shouldPreferOptionsToTheEnvironment() {
    Cli cli = Cli.of(api).env("FJORDMQ_API_URL", "http://127.0.0.1:1");
    assertThat(cli.line("voters --url " + api.url()).code()).isZero();
    assertThat(lastAuthorization()).isEqualTo("Basic a2V5OnNlY3JldA==");
  }

  @Test
  void shouldSayWhatIsMissing() {
    Cli cli = new Cli().env("FJORDMQ_API_URL", api.url());
    assertThat(cli.line("voters"))
        .isEqualTo(
            new Cli.Result(
                2,
                "",
                "fjordmq: credentials missing; set --api-key KEY:SECRET, or FJORDMQ_API_KEY and"
                    + " FJORDMQ_API_SECRET; see 'fjordmq voters --help'\n"));
    assertThat(cli.env("FJORDMQ_API_KEY", "k").line("voters").err())
        .contains("FJORDMQ_API_SECRET is not set");
    assertThat(cli.line("voters --api-key k").err()).contains("must be KEY:SECRET");
    assertThat(cli.line("voters --url localhost:18083 --api-key k:s").err())
        .contains("invalid URL 'localhost:18083': expected http://HOST:PORT");
  }

  @Test
  void shouldSayThatTheNodeIsNotRunning() throws IOException {
    Cli cli = new Cli().directory(folder.resolve("data"));
    Cli.Result result = cli.line("status");
    assertThat(result.code()).isEqualTo(3);
    assertThat(result.err())
        .contains("not running", folder.resolve("data").toString(), "bin/standalone.sh start");
    assertThat(cli.run("-c", "conf/a.yml", "-d", "my nodes", "status").err())
        .contains("Start it with: bin/standalone.sh start -c conf/a.yml -d 'my nodes'");
    // After a crash, the file remains.
    running("http://127.0.0.1:" + freePort());
    result = cli.line("status");
    assertThat(result.code()).isEqualTo(3);
    assertThat(result.err()).contains("cannot connect", "bin/standalone.sh start");
    Files.writeString(folder.resolve("data/control/api.json"), "{}");
    assertThat(cli.line("status").code()).isEqualTo(1);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void shouldPrintErrorsOfTheApi() {
    api.on(REQUEST, 404, "{\"code\":\"NOT_FOUND\",\"message\":\"no such thing\"}");
    assertThat(Cli.of(api).line("voters"))
        .isEqualTo(new Cli.Result(1, "", "fjordmq: no such thing\n"));
    api.on(REQUEST, 401, "{\"code\":\"BAD_API_KEY_OR_SECRET\",\"message\":\"not valid\"}");
    assertThat(Cli.of(api).line("voters").err())
        .isEqualTo(
            "fjordmq: not valid; set --api-key KEY:SECRET, or FJORDMQ_API_KEY and"
                + " FJORDMQ_API_SECRET\n");
    api.on(REQUEST, 502, "<html>");
    assertThat(Cli.of(api).line("voters").err()).contains("HTTP status 502", "FjordMQ node?");
    api.on(REQUEST, 200, "<html>");
    assertThat(Cli.of(api).line("voters").code()).isEqualTo(1);
  }

  @Test
  void shouldTrustAuthoritiesAndTheNodeOnThisHost() throws Exception {
    try (FakeApi secure = new FakeApi(tls()).on(REQUEST, REPLY)) {
      Cli cli = Cli.of(secure);
      Cli.Result untrusted = cli.line("voters");
      assertThat(untrusted.code()).isEqualTo(1);
      assertThat(untrusted.err()).contains("TLS handshake", "--cacert");
      assertThat(cli.line("voters --cacert " + folder.resolve("ca.pem")).code()).isZero();
      assertThat(new Cli().directory(running(secure.url())).line("voters").code()).isZero();
      // The name in the certificate must match, but not for a node on this host.
      String other = secure.url().replace("127.0.0.1", "localhost");
      assertThat(cli.line("voters --cacert " + folder.resolve("ca.pem") + " --url " + other).code())
          .isEqualTo(1);
      assertThat(new Cli().directory(running(other)).line("voters").code()).isZero();
      assertThat(cli.line("voters --url " + secure.url().replace("https", "http")).code())
          .isEqualTo(3);
    }
    assertThat(Cli.of(api).line("voters --cacert " + folder.resolve("none")).err())
        .contains("--cacert: file not found");
    Files.writeString(folder.resolve("empty"), "");
    assertThat(Cli.of(api).line("voters --cacert " + folder.resolve("empty")).err())
        .contains("contains no certificate");
  }

  /** A certificate for 127.0.0.1, which is also written to {@code ca.pem}. */
  private SSLContext tls() throws IOException, GeneralSecurityException, InterruptedException {
    Path file = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "node",
                "-keyalg",
                "EC",
                "-dname",
                "CN=node",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.out").toFile())
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    Files.writeString(
        folder.resolve("ca.pem"),
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(store.getCertificate("node").getEncoded())
            + "\n-----END CERTIFICATE-----\n");
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }
}
