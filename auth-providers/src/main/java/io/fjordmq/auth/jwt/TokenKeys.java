package io.fjordmq.auth.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.ProviderSettings;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import java.util.List;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.crypto.params.AsymmetricKeyParameter;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.util.PublicKeyFactory;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/**
 * The keys for signatures of tokens. A key verifies only the algorithms of its kind, so a public
 * key can never be used as the secret of an HMAC. Thread-safe.
 */
interface TokenKeys extends AutoCloseable {

  /**
   * Returns the verifiers to try for a token; empty if there is no key for it. May block while keys
   * are fetched.
   *
   * @throws ProviderException if the keys cannot be fetched
   */
  List<JWSVerifier> verifiers(JWSHeader header) throws ProviderException;

  @Override
  default void close() {}

  /** Reads the secret of an HMAC. */
  static TokenKeys ofSecret(ProviderSettings settings) {
    String text = settings.secret("secret");
    if (text == null) {
      text = settings.text("secret"); // reports that it is missing
    }
    boolean encoded = settings.flag("secretBase64", false);
    try {
      byte[] secret =
          encoded ? Base64.getDecoder().decode(text) : text.getBytes(StandardCharsets.UTF_8);
      MACVerifier verifier = new MACVerifier(secret);
      return header ->
          verifier.supportedJWSAlgorithms().contains(header.getAlgorithm())
              ? List.of(verifier)
              : List.of();
    } catch (JOSEException e) {
      throw new IllegalArgumentException(
          settings.path()
              + ".secret must have at least 32 bytes for HS256, 48 for HS384, 64 for HS512",
          e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(settings.path() + ".secret is not valid Base64", e);
    }
  }

  /** Reads a public key, or a certificate, from a PEM file. */
  static TokenKeys ofPublicKey(ProviderSettings settings) {
    byte[] pem = settings.file("publicKeyFile", 1 << 20);
    try (PEMParser parser =
        new PEMParser(new StringReader(new String(pem, StandardCharsets.US_ASCII)))) {
      Object found = parser.readObject();
      SubjectPublicKeyInfo info =
          found instanceof X509CertificateHolder certificate
              ? certificate.getSubjectPublicKeyInfo()
              : found instanceof SubjectPublicKeyInfo key ? key : null;
      if (info == null) {
        throw new IllegalArgumentException(
            settings.path() + ".publicKeyFile must contain a public key or a certificate in PEM");
      }
      JWSVerifier verifier = verifier(info);
      return header ->
          verifier.supportedJWSAlgorithms().contains(header.getAlgorithm())
              ? List.of(verifier)
              : List.of();
    } catch (IOException | JOSEException e) {
      throw new IllegalArgumentException(
          settings.path() + ".publicKeyFile is invalid: " + e.getMessage(), e);
    }
  }

  private static JWSVerifier verifier(SubjectPublicKeyInfo info) throws IOException, JOSEException {
    AsymmetricKeyParameter parameter = PublicKeyFactory.createKey(info);
    if (parameter instanceof Ed25519PublicKeyParameters key) {
      return new EdDsaVerifier(key);
    }
    PublicKey key = new JcaPEMKeyConverter().getPublicKey(info);
    if (key instanceof RSAPublicKey rsa) {
      if (rsa.getModulus().bitLength() < 2_048) {
        throw new JOSEException("an RSA key must have at least 2048 bits");
      }
      return new RSASSAVerifier(rsa);
    }
    if (key instanceof ECPublicKey ec) {
      return new ECDSAVerifier(ec);
    }
    throw new JOSEException("the key must be an RSA, EC or Ed25519 key");
  }
}
