package io.fjordmq.auth.http;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.fjordmq.auth.Chain;
import io.fjordmq.testing.Await;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that is only reached with TLS and a client certificate. */
class HttpTlsTest {
  @TempDir Path folder;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpsServer service;
  private String url;
  private String trust;
  private String cert;
  private String key;

  private static X509Bundle authority(String name) throws Exception {
    return new CertificateBuilder()
        .subject("CN=" + name)
        .setIsCertificateAuthority(true)
        .buildSelfSigned();
  }

  private String write(String name, String text) throws Exception {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @BeforeEach
  void start() throws Exception {
    X509Bundle authority = authority("authority");
    X509Bundle client = new CertificateBuilder().subject("CN=broker").buildIssuedBy(authority);
    trust = write("ca.pem", authority.getCertificatePEM());
    cert = write("c.pem", client.getCertificatePathPEM());
    key = write("c.key", client.getPrivateKeyPEM());
    service = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    service.setHttpsConfigurator(configurator(authority));
    service.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    service.setExecutor(threads);
    service.start();
    url = "https://localhost:" + service.getAddress().getPort() + "/auth";
  }

  @AfterEach
  void stop() {
    service.stop(0);
    threads.shutdownNow();
  }

  private static HttpsConfigurator configurator(X509Bundle authority) throws Exception {
    X509Bundle server =
        new CertificateBuilder()
            .subject("CN=localhost")
            .addSanDnsName("localhost")
            .buildIssuedBy(authority);
    SSLContext context = SSLContext.getInstance("TLS");
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(server.toKeyStore(new char[0]), new char[0]);
    context.init(keys.getKeyManagers(), authority.toTrustManagerFactory().getTrustManagers(), null);
    return new HttpsConfigurator(context) {
      @Override
      public void configure(HttpsParameters parameters) {
        SSLParameters ssl = context.getDefaultSSLParameters();
        ssl.setNeedClientAuth(true);
        parameters.setSSLParameters(ssl);
      }
    };
  }

  private static Chain chain(String url, String... more) {
    Map<String, String> values = provider("type", "http", "url", url, "timeout", "5 s");
    values.putAll(provider("breakerFailures", "0"));
    values.putAll(provider(more));
    return Chain.open(List.of(values), List.of());
  }

  private static String result(String url, String... more) throws Exception {
    try (Chain chain = chain(url, more)) {
      return chain.result("c", "u", "p");
    }
  }

  @Test
  void shouldUseTlsWithAClientCertificate() throws Exception {
    assertThat(result(url, "trustFile", trust, "certFile", cert, "keyFile", key))
        .isEqualTo("allow");
    assertThat(result(url, "trustFile", trust)).startsWith("SERVER_UNAVAILABLE");
    assertThat(result(url)).startsWith("SERVER_UNAVAILABLE");
    String otherName = url.replace("localhost", "127.0.0.1");
    assertThat(result(otherName, "trustFile", trust, "certFile", cert, "keyFile", key))
        .as("the certificate is for another name")
        .startsWith("SERVER_UNAVAILABLE");
  }

  @Test
  void shouldUseReplacedFiles() throws Exception {
    String replaced = write("replaced.pem", authority("other").getCertificatePEM());
    try (Chain chain = chain(url, "trustFile", replaced, "certFile", cert, "keyFile", key)) {
      assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
      write("replaced.pem", Files.readString(Path.of(trust)));
      Await.until("the new authority is trusted", () -> isAllowed(chain));
    }
  }

  private static boolean isAllowed(Chain chain) {
    try {
      return chain.result("c", "u", "p").equals("allow");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
