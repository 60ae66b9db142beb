package io.fjordmq.broker.testing;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.X509CRLHolder;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority for a test that can revoke its certificates. */
public final class TestAuthority {
  private static final char[] NO_PASSWORD = {};
  private static final byte[] NONE = {};
  private static final Duration LIFETIME = Duration.ofDays(90);

  /** A certificate, its private key, and the certificates of its issuers. */
  public record Issued(X509Certificate certificate, PrivateKey key, List<X509Certificate> issuers) {
    /** A TLS client that sends the certificate, followed by its intermediate issuers. */
    public SSLContext client(TrustManagerFactory trust) {
      try {
        List<X509Certificate> chain = new java.util.ArrayList<>(List.of(certificate));
        chain.addAll(issuers.subList(0, issuers.size() - 1));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("key", key, NO_PASSWORD, chain.toArray(Certificate[]::new));
        KeyManagerFactory keys =
            KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
      } catch (GeneralSecurityException | java.io.IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private final KeyPair keys;
  private final X509Certificate certificate;
  private final List<X509Certificate> issuers;
  private int lastSerial = 0x1000;

  /** Creates a root authority whose keys are fast to generate. */
  public TestAuthority(String name) {
    this(name, newKeys());
  }

  /** Creates a root authority. */
  public TestAuthority(String name, KeyPair keys) {
    this.keys = keys;
    certificate = build(null, name, keys, BigInteger.ONE, new Extra(true, NONE, false));
    issuers = List.of();
  }

  private TestAuthority(TestAuthority parent, String name) {
    keys = newKeys();
    certificate = build(parent, name, keys, parent.nextSerial(), new Extra(true, NONE, false));
    issuers = parent.path();
  }

  /** Creates an authority whose certificate this one has issued. */
  public TestAuthority subordinate(String name) {
    return new TestAuthority(this, name);
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Extra(boolean authority, byte[] access, boolean signsOcsp) {}

  private static KeyPair newKeys() {
    return newKeys("EC", 256);
  }

  /** Generates a key pair; large RSA keys take seconds. */
  public static KeyPair newKeys(String algorithm, int bits) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
      generator.initialize(bits);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private BigInteger nextSerial() {
    return BigInteger.valueOf(++lastSerial);
  }

  private List<X509Certificate> path() {
    List<X509Certificate> path = new java.util.ArrayList<>(List.of(certificate));
    path.addAll(issuers);
    return List.copyOf(path);
  }

  private X509Certificate build(
      @org.jspecify.annotations.Nullable TestAuthority issuer,
      String name,
      KeyPair subject,
      BigInteger serial,
      Extra extra) {
    X500Principal issuerName =
        issuer == null
            ? new X500Principal("CN=" + name)
            : issuer.certificate.getSubjectX500Principal();
    PrivateKey signer = issuer == null ? subject.getPrivate() : issuer.keys.getPrivate();
    return build(issuerName, signer, name, subject.getPublic(), serial, extra);
  }

  private static X509Certificate build(
      X500Principal issuerName,
      PrivateKey signer,
      String name,
      PublicKey subject,
      BigInteger serial,
      Extra extra) {
    try {
      Instant now = Instant.now();
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              issuerName,
              serial,
              Date.from(now.minus(LIFETIME)),
              Date.from(now.plus(LIFETIME)),
              new X500Principal("CN=" + name),
              subject);
      if (extra.authority) {
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
      }
      if (extra.signsOcsp) {
        builder.addExtension(
            Extension.extendedKeyUsage,
            false,
            new ExtendedKeyUsage(KeyPurposeId.id_kp_OCSPSigning));
      }
      if (extra.access.length > 0) {
        builder.addExtension(Extension.authorityInfoAccess, false, extra.access);
      }
      return new JcaX509CertificateConverter().getCertificate(builder.build(signer(signer)));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static ContentSigner signer(PrivateKey key) throws Exception {
    String algorithm = key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA";
    return new JcaContentSignerBuilder(algorithm).build(key);
  }

  /**
   * Returns a certificate that an attacker has made up: with the name, the public key and the
   * issuer of this authority, but another serial number and an invalid signature.
   *
   * @param responder the attacker's OCSP responder; empty for none
   */
  public X509Certificate forged(String name, String responder) {
    return build(
        certificate.getIssuerX500Principal(),
        newKeys().getPrivate(),
        name,
        keys.getPublic(),
        BigInteger.valueOf(0xbad),
        new Extra(true, accessTo(responder), false));
  }

  /** The certificate of the authority. */
  public X509Certificate certificate() {
    return certificate;
  }

  /** The private key of the authority. */
  public PrivateKey key() {
    return keys.getPrivate();
  }

  /** Issues a certificate. */
  public Issued issue(String name) {
    return issue(name, "");
  }

  /** Issues a certificate that names an OCSP responder. */
  public Issued issue(String name, String responder) {
    return issue(name, new Extra(false, accessTo(responder), false));
  }

  /**
   * Issues a certificate with this Authority Information Access extension in DER format, which can
   * be invalid.
   */
  public Issued issueWithAccess(String name, byte[] access) {
    return issue(name, new Extra(false, access, false));
  }

  private static byte[] accessTo(String responder) {
    try {
      return responder.isEmpty()
          ? NONE
          : new AuthorityInformationAccess(
                  AccessDescription.id_ad_ocsp,
                  new GeneralName(GeneralName.uniformResourceIdentifier, responder))
              .getEncoded();
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Issues a certificate whose owner may answer OCSP requests for the authority. */
  public Issued issueResponder(String name) {
    return issueResponder(name, newKeys());
  }

  /** Issues a certificate for these keys, whose owner may answer OCSP requests. */
  public Issued issueResponder(String name, KeyPair own) {
    return issue(name, own, new Extra(false, NONE, true));
  }

  private Issued issue(String name, Extra extra) {
    return issue(name, newKeys(), extra);
  }

  private Issued issue(String name, KeyPair own, Extra extra) {
    return new Issued(build(this, name, own, nextSerial(), extra), own.getPrivate(), path());
  }

  /** Returns a revocation list that is valid for a day. */
  public byte[] crl(X509Certificate... revoked) {
    Instant now = Instant.now();
    return crl(now.minusSeconds(60), now.plus(Duration.ofDays(1)), revoked);
  }

  /** Returns a revocation list in DER format. */
  public byte[] crl(Instant begin, Instant end, X509Certificate... revoked) {
    return crl(begin, end, null, revoked);
  }

  /** Returns a revocation list with one more critical extension. */
  public byte[] crl(
      Instant begin,
      Instant end,
      @org.jspecify.annotations.Nullable Extension extension,
      X509Certificate... revoked) {
    try {
      X509v2CRLBuilder builder =
          new JcaX509v2CRLBuilder(certificate.getSubjectX500Principal(), Date.from(begin));
      builder.setNextUpdate(Date.from(end));
      for (X509Certificate one : revoked) {
        builder.addCRLEntry(one.getSerialNumber(), Date.from(begin), CRLReason.keyCompromise);
      }
      if (extension != null) {
        builder.addExtension(extension);
      }
      X509CRLHolder list = builder.build(signer(keys.getPrivate()));
      return list.getEncoded();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the bytes as a PEM block. */
  public static String pem(String type, byte[] der) {
    return "-----BEGIN "
        + type
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
        + "\n-----END "
        + type
        + "-----\n";
  }
}
