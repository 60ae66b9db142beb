package io.fjordmq.broker.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.bouncycastle.asn1.ocsp.OCSPObjectIdentifiers;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.ocsp.BasicOCSPRespBuilder;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPReq;
import org.bouncycastle.cert.ocsp.OCSPResp;
import org.bouncycastle.cert.ocsp.OCSPRespBuilder;
import org.bouncycastle.cert.ocsp.Req;
import org.bouncycastle.cert.ocsp.RevokedStatus;
import org.bouncycastle.cert.ocsp.UnknownStatus;
import org.bouncycastle.cert.ocsp.jcajce.JcaBasicOCSPRespBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.jspecify.annotations.Nullable;

/**
 * An OCSP responder on the loopback address. The answers can be wrong in all the ways that matter.
 */
public final class TestResponder implements AutoCloseable {
  /** What the responder does with a request. */
  public enum Behavior {
    ANSWER,
    OMIT_NONCE,
    REPLAY,
    OTHER_SIGNER,
    OTHER_CERTIFICATE,
    EXPIRED,
    NOT_YET_VALID,
    WITHOUT_END,
    OLD_WITHOUT_END,
    TRY_LATER,
    UNAUTHORIZED,
    HTTP_ERROR,
    GARBAGE,
    TOO_LONG,
    HANG
  }

  /** Answers a request in DER format. */
  @FunctionalInterface
  public interface Answerer {
    byte[] answer(byte[] request) throws Exception;
  }

  private static final CertificateStatus GOOD = CertificateStatus.GOOD; // null

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<BigInteger, CertificateStatus> statuses = new ConcurrentHashMap<>();
  private volatile @Nullable TestAuthority authority;
  private volatile TestAuthority.@Nullable Issued signer;

  public final AtomicInteger requests = new AtomicInteger();
  public volatile Behavior behavior = Behavior.ANSWER;
  public volatile Duration validity = Duration.ofHours(1);

  /** Creates a responder; its authority must be set before the first request. */
  public TestResponder() throws IOException {
    this(null);
  }

  /**
   * @param answerer answers all requests; null for this class
   */
  public TestResponder(@Nullable Answerer answerer) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", exchange -> handle(exchange, answerer));
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/ocsp";
  }

  /** Answers for the certificates of the authority, with its own key. */
  public void answerFor(TestAuthority issuer) {
    authority = issuer;
  }

  /** Signs answers with the key of a responder that the authority has authorized. */
  public void signAs(TestAuthority.@Nullable Issued responder) {
    signer = responder;
  }

  public void revoke(X509Certificate certificate) {
    statuses.put(
        certificate.getSerialNumber(),
        new RevokedStatus(Date.from(Instant.now()), CRLReason.keyCompromise));
  }

  /** Makes a certificate unknown to the responder. */
  public void forget(X509Certificate certificate) {
    statuses.put(certificate.getSerialNumber(), new UnknownStatus());
  }

  /** Makes a certificate good again. */
  public void remember(X509Certificate certificate) {
    statuses.remove(certificate.getSerialNumber());
  }

  private void handle(HttpExchange exchange, @Nullable Answerer answerer) throws IOException {
    requests.incrementAndGet();
    try (exchange) {
      byte[] request = exchange.getRequestBody().readAllBytes();
      if (behavior == Behavior.HANG) {
        closed.await();
        return;
      }
      byte[] response = answerer == null ? answer(request) : answerer.answer(request);
      exchange.getResponseHeaders().add("Content-Type", "application/ocsp-response");
      int status = behavior == Behavior.HTTP_ERROR ? 503 : 200;
      exchange.sendResponseHeaders(status, response.length);
      exchange.getResponseBody().write(response);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private byte[] answer(byte[] encoded) throws Exception {
    if (behavior == Behavior.GARBAGE) {
      return new byte[] {1, 2, 3};
    }
    if (behavior == Behavior.TOO_LONG) {
      return new byte[100_000];
    }
    if (behavior == Behavior.TRY_LATER) {
      return new OCSPRespBuilder().build(OCSPResp.TRY_LATER, null).getEncoded();
    }
    if (behavior == Behavior.UNAUTHORIZED) {
      return new OCSPRespBuilder().build(OCSPResp.UNAUTHORIZED, null).getEncoded();
    }
    TestAuthority issuer = java.util.Objects.requireNonNull(authority);
    TestAuthority.Issued delegate = signer;
    PrivateKey key = delegate == null ? issuer.key() : delegate.key();
    X509Certificate certificate = delegate == null ? issuer.certificate() : delegate.certificate();
    if (behavior == Behavior.OTHER_SIGNER) {
      key = new TestAuthority("other").key();
    }
    OCSPReq request = new OCSPReq(encoded);
    BasicOCSPRespBuilder builder =
        new JcaBasicOCSPRespBuilder(
            certificate.getPublicKey(),
            new JcaDigestCalculatorProviderBuilder().build().get(CertificateID.HASH_SHA1));
    for (Req one : request.getRequestList()) {
      add(builder, one.getCertID());
    }
    Extension nonce = request.getExtension(OCSPObjectIdentifiers.id_pkix_ocsp_nonce);
    if (nonce != null && behavior != Behavior.OMIT_NONCE) {
      Extension other =
          new Extension(
              OCSPObjectIdentifiers.id_pkix_ocsp_nonce,
              false,
              new org.bouncycastle.asn1.DEROctetString(new byte[32]).getEncoded());
      builder.setResponseExtensions(new Extensions(behavior == Behavior.REPLAY ? other : nonce));
    }
    X509CertificateHolder[] chain = {new JcaX509CertificateHolder(certificate)};
    return new OCSPRespBuilder()
        .build(
            OCSPResp.SUCCESSFUL,
            builder.build(TestAuthority.signer(key), chain, Date.from(Instant.now())))
        .getEncoded();
  }

  private void add(BasicOCSPRespBuilder builder, CertificateID asked) throws Exception {
    Instant now = Instant.now();
    Instant begin =
        switch (behavior) {
          case EXPIRED, OLD_WITHOUT_END -> now.minus(Duration.ofDays(2));
          case NOT_YET_VALID -> now.plus(Duration.ofDays(2));
          default -> now;
        };
    boolean endless = behavior == Behavior.WITHOUT_END || behavior == Behavior.OLD_WITHOUT_END;
    CertificateID id =
        behavior == Behavior.OTHER_CERTIFICATE
            ? new CertificateID(
                new JcaDigestCalculatorProviderBuilder().build().get(CertificateID.HASH_SHA1),
                new JcaX509CertificateHolder(
                    java.util.Objects.requireNonNull(authority).certificate()),
                BigInteger.TWO)
            : asked;
    builder.addResponse(
        id,
        statuses.getOrDefault(asked.getSerialNumber(), GOOD),
        Date.from(begin),
        endless ? null : Date.from(begin.plus(validity)),
        null);
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
