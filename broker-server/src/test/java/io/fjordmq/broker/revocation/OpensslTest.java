package io.fjordmq.broker.revocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.broker.providers.ProviderMeter;
import io.fjordmq.broker.revocation.CertificateRevocation.Refusal;
import io.fjordmq.broker.revocation.OcspSettings.Nonce;
import io.fjordmq.broker.testing.TestResponder;
import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Certificates, revocation lists and answers of OpenSSL's tools. Its responder answers from files,
 * because it would listen on all interfaces.
 */
class OpensslTest {
  private static final Path OPENSSL = Path.of("/usr/bin/openssl");
  private static final String CONFIGURATION =
      """
      [ca]
      default_ca = own
      [own]
      database = index.txt
      serial = serial
      crlnumber = crlnumber
      new_certs_dir = .
      certificate = ca.pem
      private_key = ca.key
      default_md = sha256
      default_days = 30
      default_crl_days = 7
      policy = any
      x509_extensions = client
      [any]
      commonName = supplied
      [client]
      authorityInfoAccess = OCSP;URI:%s
      """;

  @TempDir Path folder;

  @BeforeEach
  void requireOpenssl() {
    assumeTrue(Files.isExecutable(OPENSSL), "openssl is not installed; bin/test.sh installs it");
  }

  private void openssl(String arguments) throws Exception {
    List<String> command = new java.util.ArrayList<>(List.of(OPENSSL.toString()));
    command.addAll(List.of(arguments.split(" ", -1)));
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).as(output).isTrue();
    assertThat(process.exitValue()).as(arguments + "\n" + output).isZero();
  }

  private void createAuthority(String responder) throws Exception {
    Files.writeString(folder.resolve("ca.cnf"), CONFIGURATION.formatted(responder));
    Files.writeString(folder.resolve("index.txt"), "");
    Files.writeString(folder.resolve("serial"), "2A\n");
    Files.writeString(folder.resolve("crlnumber"), "01\n");
    openssl(
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=Example -days 60");
    for (String client : List.of("good", "bad")) {
      openssl("req -newkey rsa:2048 -nodes -keyout x.key -out x.csr -subj /CN=" + client);
      openssl("ca -batch -config ca.cnf -in x.csr -out " + client + ".pem -notext");
    }
    openssl("ca -config ca.cnf -revoke bad.pem -crl_reason keyCompromise");
    openssl("ca -config ca.cnf -gencrl -out crl.pem");
    openssl("crl -in crl.pem -outform DER -out crl.der");
  }

  private X509Certificate certificate(String name) throws Exception {
    try (InputStream file = Files.newInputStream(folder.resolve(name + ".pem"))) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(file);
    }
  }

  private Optional<Refusal> check(CertificateRevocation revocation, String client)
      throws Exception {
    return revocation
        .check(certificate(client), List.of(certificate("ca")), true, () -> false)
        .get(20, TimeUnit.SECONDS);
  }

  private byte[] answer(byte[] request) throws Exception {
    Files.write(folder.resolve("request"), request);
    openssl(
        "ocsp -index index.txt -CA ca.pem -rsigner ca.pem -rkey ca.key -nmin 5"
            + " -reqin request -respout response");
    return Files.readAllBytes(folder.resolve("response"));
  }

  private static CertificateRevocation open(CrlSettings crl, OcspSettings ocsp) throws IOException {
    return CertificateRevocation.open(
        crl, ocsp, InstantSource.system(), check -> ProviderMeter.NONE);
  }

  @Test
  void shouldUnderstandTheListsAndAnswersOfOpenssl() throws Exception {
    try (TestResponder responder = new TestResponder(this::answer)) {
      createAuthority(responder.url());
      for (String list : List.of("crl.pem", "crl.der")) {
        CrlSettings crl =
            new CrlSettings(folder.resolve(list).toString(), UnknownStatusPolicy.DENY);
        try (CertificateRevocation revocation = open(crl, OcspSettings.DEFAULTS)) {
          assertThat(check(revocation, "good")).isEmpty();
          assertThat(check(revocation, "bad").orElseThrow().detail())
              .contains("certificate 2b of CN=bad was revoked at", "(key compromise)", list);
        }
      }
      OcspSettings ocsp =
          RecordBuilder.from(OcspSettings.DEFAULTS)
              .with(OcspSettings::enabled, true)
              .with(OcspSettings::nonce, Nonce.REQUIRED)
              .with(OcspSettings::timeout, java.time.Duration.ofSeconds(15))
              .build();
      try (CertificateRevocation revocation = open(CrlSettings.DEFAULTS, ocsp)) {
        assertThat(check(revocation, "good")).isEmpty();
        assertThat(check(revocation, "bad").orElseThrow().detail())
            .contains("certificate 2b of CN=bad was revoked at", "according to the OCSP responder");
        assertThat(check(revocation, "good")).isEmpty();
        assertThat(responder.requests).as("cached").hasValue(2);
      }
    }
  }
}
