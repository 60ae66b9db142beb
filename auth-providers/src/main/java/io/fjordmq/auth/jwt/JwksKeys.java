package io.fjordmq.auth.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.auth.connection.PlaintextWarning;
import io.fjordmq.auth.tls.PemContext;
import io.fjordmq.auth.tls.PemFiles;
import io.fjordmq.auth.tls.PemSocketFactory;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a JWKS document, which is fetched when it is first needed, again after a while, and
 * when a token names a key that is not in it, but not more often than an interval allows: clients
 * choose the names of keys. While the document cannot be fetched, the known keys stay in use.
 * Thread-safe; blocks while it fetches the document.
 *
 * <p>The caches of the JWT library are not used: when their limit on fetches is reached by tokens
 * with invented keys, they also refuse tokens with known keys whose time in the cache has ended.
 */
final class JwksKeys implements TokenKeys {
  private static final Logger LOG = LoggerFactory.getLogger(JwksKeys.class);
  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_TIMEOUT_MILLIS = 60_000;
  private static final Duration MIN_FETCH_INTERVAL = Duration.ofSeconds(5);

  /** A document and when it was fetched. */
  private record CachedKeys(JWKSet keys, long fetchedAtNanos) {}

  private final URL url;
  private final DefaultResourceRetriever retriever;
  private final long refreshNanos;
  private final long intervalNanos;
  private final ReentrantLock fetching = new ReentrantLock();
  private volatile @Nullable CachedKeys cached;
  // Guarded by the lock.
  private long attemptedAtNanos;
  private boolean attempted;
  private String lastFailure = "";

  private JwksKeys(URL url, DefaultResourceRetriever retriever, Duration refresh) {
    this.url = url;
    this.retriever = retriever;
    this.refreshNanos = refresh.toNanos();
    this.intervalNanos = Math.min(MIN_FETCH_INTERVAL.toNanos(), refreshNanos);
  }

  /** Checks the settings. */
  static JwtSettings.KeyOpening opening(ProviderSettings settings) {
    URL url = url(settings);
    Duration refresh =
        settings.duration(
            "jwksRefresh", Duration.ofMinutes(5), Duration.ofSeconds(1), Duration.ofDays(1));
    Duration timeout =
        settings.duration(
            "timeout", Duration.ofSeconds(5), Duration.ofMillis(10), Duration.ofHours(1));
    SSLContext tls = PemContext.of(settings); // reports an invalid file
    int millis = (int) Math.min(timeout.toMillis(), MAX_TIMEOUT_MILLIS);
    DefaultResourceRetriever retriever =
        tls == null
            ? new DefaultResourceRetriever(millis, millis, MAX_BYTES)
            : new DefaultResourceRetriever(
                millis, millis, MAX_BYTES, true, new PemSocketFactory(PemFiles.of(settings)));
    return () -> {
      PlaintextWarning.warnIfRemote(settings, "jwksUrl", URI.create(url.toString()));
      return new JwksKeys(url, retriever, refresh);
    };
  }

  private static URL url(ProviderSettings settings) {
    String text = settings.text("jwksUrl");
    try {
      URI uri = URI.create(text);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (scheme.equals("https") || scheme.equals("http")) {
        return uri.toURL();
      }
    } catch (MalformedURLException | IllegalArgumentException e) {
      throw settings.invalid("jwksUrl", "an http or https URL", text);
    }
    throw settings.invalid("jwksUrl", "an http or https URL", text);
  }

  @Override
  public List<JWSVerifier> verifiers(JWSHeader header) throws ProviderException {
    JWKMatcher matcher =
        JWSAlgorithm.Family.HMAC_SHA.contains(header.getAlgorithm())
            ? null // the keys of the document are public
            : JWKMatcher.forJWSHeader(header);
    if (matcher == null) {
      return List.of();
    }
    JWKSelector selector = new JWKSelector(matcher);
    List<JWK> keys = selector.select(document());
    if (keys.isEmpty()) {
      keys = selector.select(documentAfterRotation());
    }
    List<JWSVerifier> verifiers = new ArrayList<>();
    for (JWK key : keys) {
      try {
        verifiers.add(verifier(key));
      } catch (JOSEException e) {
        LOG.debug("Ignoring a key of the JWKS document: {} kid={}", e.getMessage(), key.getKeyID());
      }
    }
    return verifiers;
  }

  /** Returns the document, and fetches it if it is old. */
  private JWKSet document() throws ProviderException {
    CachedKeys current = cached;
    if (current == null) {
      fetching.lock();
    } else if (System.nanoTime() - current.fetchedAtNanos < refreshNanos || !fetching.tryLock()) {
      return current.keys; // another thread is fetching the new one
    }
    try {
      return fetch();
    } finally {
      fetching.unlock();
    }
  }

  /** Returns the document, which another thread or this one has just fetched if it may be. */
  private JWKSet documentAfterRotation() throws ProviderException {
    fetching.lock();
    try {
      return fetch();
    } finally {
      fetching.unlock();
    }
  }

  /** Fetches the document, unless this was attempted shortly before. The caller has the lock. */
  private JWKSet fetch() throws ProviderException {
    long now = System.nanoTime();
    if (!attempted || now - attemptedAtNanos >= intervalNanos) {
      attempted = true;
      attemptedAtNanos = now;
      try {
        JWKSet keys = JWKSet.parse(retriever.retrieveResource(url).getContent());
        cached = new CachedKeys(keys, now);
      } catch (IOException | ParseException e) {
        lastFailure = String.valueOf(e.getMessage());
        if (cached != null) {
          LOG.warn(
              "Cannot fetch the JWKS document; the known keys stay in use: {} url={}",
              lastFailure,
              url);
        }
      }
    }
    CachedKeys current = cached;
    if (current == null) {
      throw new ProviderException(
          "cannot fetch the JWKS document: " + lastFailure + " url=" + url, false, null);
    }
    return current.keys;
  }

  private static JWSVerifier verifier(JWK key) throws JOSEException {
    if (key instanceof RSAKey rsa) {
      return new RSASSAVerifier(rsa.toRSAPublicKey());
    }
    if (key instanceof ECKey ec) {
      return new ECDSAVerifier(ec.toECPublicKey());
    }
    if (key instanceof OctetKeyPair okp) {
      return EdDsaVerifier.of(okp);
    }
    throw new JOSEException("keys of type " + key.getKeyType() + " are not supported");
  }
}
