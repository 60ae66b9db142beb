package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.testing.Certs;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.time.InstantSource;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PKCS8Generator;
import org.bouncycastle.openssl.jcajce.JcaMiscPEMGenerator;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.openssl.jcajce.JceOpenSSLPKCS8EncryptorBuilder;
import org.bouncycastle.openssl.jcajce.JcePEMEncryptorBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Certificates and keys as tools write them, and the errors for unusable ones. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsFilesTest {
  private static final String PASSWORD = "correct horse";

  /** An Ed25519 key, encrypted with a key that scrypt derives from the password. */
  private static final String SCRYPT_KEY =
      """
      -----BEGIN ENCRYPTED PRIVATE KEY-----
      MIGTME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAjiW7pIbPuT8QICQAAC
      AQgCAQEwHQYJYIZIAWUDBAEqBBD69zjTYrVNK9I4YxpMqHAzBECmS59A+G5Ti9/C
      rpl1H1Ik87k1iP3emzWAHhqeOV9xzdpLE48C+f0dTb5uaao4Q7SimMzdJ8ud41WK
      iaSu9Xau
      -----END ENCRYPTED PRIVATE KEY-----
      """;

  private static final String DSA_KEY =
      """
      -----BEGIN PRIVATE KEY-----
      MIIBWgIBADCCATMGByqGSM44BAEwggEmAoGBAINytlRxV8t9yR92PDEfANcuWjYh
      XLXFWAFYb/oK+RZe2iLmB07zn7jvDeuoGfbw77hImPMMIvC5xITCCtgJ51JsdMeG
      TzEOCbsF02vT5sRyIvCFkHgS3RPUlqIekwXbPS5o8khW1imXU1flUICbNy5Rtuwh
      WbrbvjP1Ea94M0drAh0AtQUosBFq1gaxhE09KVj6Uv5bj8VJ8GPIWmmN7QKBgHm0
      AHb0AZUOZbowG30xgj1JwEl2NR3lAKDZhM2itAIDKeqliI/OUqca8tlbdraF8js3
      KyjWIjRjInnpQ4AnZVkuXXOCn0UQO+1d/s+8mPZV9RS2ZK13yeBgmyryB8Sfj7fU
      zd6Ik6G7hyNogtgqxkaYhruB2Ro9dkuNjQ9mGlzaBB4CHBQ57yL+oDloU1+dlMp4
      xhNKtvFKZQSraGfWTd4=
      -----END PRIVATE KEY-----
      """;

  private final Path folder;
  private final Certs certs;
  private final X509Bundle elliptic;
  private final X509Bundle rsa;

  TlsFilesTest(@TempDir Path folder) {
    this.folder = folder;
    this.certs = new Certs(folder);
    this.elliptic = certs.server();
    this.rsa = certs.serverWithRsaKey();
  }

  private static void open(TlsSettings settings) {
    ServerTls.open(
            "mqttServerConfig.tlsListener", settings, TlsLibrary.best(), InstantSource.system())
        .close();
  }

  private void assertRefused(TlsSettings settings, String... message) {
    assertThatThrownBy(() -> open(settings))
        .isInstanceOf(IllegalStateException.class)
        .message()
        .startsWith("mqttServerConfig.tlsListener.")
        .contains(message);
  }

  private TlsSettings settings(X509Bundle bundle, String keyPem, String password) {
    Path certificate = certs.certificate("server", bundle);
    Path key = certs.write("server.key", keyPem);
    return Certs.with(
        TlsSettings.DEFAULTS, certificate.toString(), key.toString(), password, "", "");
  }

  /** {@code BEGIN RSA PRIVATE KEY} and {@code BEGIN EC PRIVATE KEY}. */
  private static String traditionalFormat(PrivateKey key, boolean encrypted) throws IOException {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      if (key instanceof ECPrivateKey curve && !encrypted) {
        // Like openssl: includes the curve parameters.
        var sec1Key =
            new org.bouncycastle.asn1.sec.ECPrivateKey(
                256, curve.getS(), SECObjectIdentifiers.secp256r1);
        writer.writeObject(new PemObject("EC PRIVATE KEY", sec1Key.getEncoded()));
        return flushAndGetText(writer, text);
      }
      writer.writeObject(
          encrypted
              ? new JcaMiscPEMGenerator(
                  key,
                  new JcePEMEncryptorBuilder("AES-128-CBC")
                      .setProvider(new BouncyCastleProvider())
                      .build(PASSWORD.toCharArray()))
              : new JcaMiscPEMGenerator(key));
    }
    return text.toString();
  }

  private static String flushAndGetText(JcaPEMWriter writer, StringWriter text) throws IOException {
    writer.flush();
    return text.toString();
  }

  private static String encryptedPem(PrivateKey key) throws Exception {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      writer.writeObject(
          new JcaPKCS8Generator(
              key,
              new JceOpenSSLPKCS8EncryptorBuilder(PKCS8Generator.AES_256_CBC)
                  .setPassword(PASSWORD.toCharArray())
                  .setPRF(PKCS8Generator.PRF_HMACSHA256)
                  .setProvider(new BouncyCastleProvider())
                  .build()));
    }
    return text.toString();
  }

  @Test
  void shouldReadKeysInEveryFormat() throws Exception {
    for (X509Bundle bundle : new X509Bundle[] {elliptic, rsa}) {
      PrivateKey key = bundle.getKeyPair().getPrivate();
      open(settings(bundle, bundle.getPrivateKeyPEM(), ""));
      String old = traditionalFormat(key, false);
      assertThat(old).containsPattern("BEGIN (RSA|EC) PRIVATE KEY");
      open(settings(bundle, old, ""));
      String encrypted = encryptedPem(key);
      assertThat(encrypted).contains("BEGIN ENCRYPTED PRIVATE KEY");
      open(settings(bundle, encrypted, PASSWORD));
    }
    open(settings(rsa, traditionalFormat(rsa.getKeyPair().getPrivate(), true), PASSWORD));
  }

  @Test
  void shouldReadThePasswordFromTheFirstLineOfAFile() throws Exception {
    TlsSettings s = settings(rsa, encryptedPem(rsa.getKeyPair().getPrivate()), "");
    Path file = certs.write("password", PASSWORD + "\nnot this\n");
    open(Certs.with(s, s.certFile(), s.keyFile(), "", file.toString(), ""));
  }

  @Test
  void shouldNameTheInvalidFileAndTheReason() throws Exception {
    TlsSettings good = settings(elliptic, elliptic.getPrivateKeyPEM(), "");
    assertRefused(TlsSettings.DEFAULTS, "certFile must name a PEM file");
    String missing = folder.resolve("none.pem").toString();
    assertRefused(
        Certs.with(good, missing, good.keyFile(), "", "", ""),
        "certFile: " + missing + ": no such file");
    assertRefused(
        Certs.with(good, good.keyFile(), good.keyFile(), "", "", ""),
        "certFile: ",
        "contains no PEM certificate");
    assertRefused(
        Certs.with(good, good.certFile(), good.certFile(), "", "", ""),
        "keyFile: ",
        "contains no PEM private key");
    assertRefused(
        Certs.with(good, good.certFile(), good.keyFile(), "", "", good.keyFile()),
        "trustFile: ",
        "no PEM certificate");
  }

  @Test
  void shouldRejectAKeyThatDoesNotMatchTheCertificate() {
    String other = certs.server().getPrivateKeyPEM();
    assertRefused(settings(elliptic, other, ""), "keyFile: ", "does not match the certificate");
    assertRefused(settings(elliptic, rsa.getPrivateKeyPEM(), ""), "does not match");
  }

  @Test
  void shouldRejectAnExpiredCertificate() {
    X509Bundle old = certs.expiredServer();
    assertRefused(settings(old, old.getPrivateKeyPEM(), ""), "certFile: ", "expired at 20");
  }

  @Test
  void shouldExplainWhyAnEncryptedKeyCannotBeRead() throws Exception {
    PrivateKey key = rsa.getKeyPair().getPrivate();
    String encrypted = encryptedPem(key);
    assertRefused(settings(rsa, encrypted, ""), "keyFile: ", "is encrypted; set keyPassword");
    assertRefused(settings(rsa, encrypted, "wrong"), "keyFile: ", "cannot be decrypted");
    assertRefused(
        settings(rsa, traditionalFormat(key, true), ""), "keyFile: ", "is encrypted; set");
    assertRefused(
        settings(rsa, traditionalFormat(key, true), "wrong"), "keyFile: ", "cannot be decrypted");
    PrivateKey withoutCurve = elliptic.getKeyPair().getPrivate();
    assertRefused(
        settings(elliptic, traditionalFormat(withoutCurve, true), PASSWORD),
        "an EC key without a named curve");
  }

  /** Made with {@code openssl genpkey -algorithm ed25519 | openssl pkcs8 -topk8 -scrypt}. */
  @Test
  void shouldDecryptKeysThatTheJdkCannotDecrypt() throws Exception {
    assertRefused(settings(rsa, SCRYPT_KEY, PASSWORD), "does not match the certificate");
    assertRefused(settings(rsa, SCRYPT_KEY, "wrong"), "cannot be decrypted");
  }

  @Test
  void shouldRejectKeysOfUnsupportedAlgorithms() {
    assertRefused(settings(rsa, DSA_KEY, ""), "keyFile: ", "(supported: RSA, EC, EdDSA): DSA");
    String other = DSA_KEY.replace("PRIVATE KEY", "OTHER PRIVATE KEY");
    assertRefused(settings(rsa, other, ""), "keyFile: ", "contains a OTHER PRIVATE KEY");
  }

  @Test
  void shouldRejectADamagedKey() throws Exception {
    String key = traditionalFormat(elliptic.getKeyPair().getPrivate(), false);
    assertRefused(settings(elliptic, key.replaceFirst("(?m)^M.*$", "MHcC"), ""), "keyFile: ");
    assertRefused(settings(elliptic, key.replaceFirst("(?m)^M.*$", "!"), ""), "keyFile: ");
  }
}
