package io.fjordmq.broker.revocation;

import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.broker.providers.CallFailedException;
import io.fjordmq.broker.providers.CallOutcome;
import io.fjordmq.broker.providers.GuardedService;
import io.fjordmq.broker.providers.ProviderMeter;
import io.fjordmq.broker.revocation.RevocationStatus.Kind;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.jspecify.annotations.Nullable;

/**
 * Asks OCSP responders about certificates. Responses are cached; requests have a time limit, and
 * for each responder a bounded queue and a circuit breaker. Thread-safe; does not block.
 */
final class OcspClient implements AutoCloseable {
  private static final String TYPE = "application/ocsp-request";
  private static final int MAX_RESPONSE_BYTES = 64 << 10;
  private static final int HTTP_OK = 200;
  private static final int THREADS = 2;

  private final OcspSettings settings;
  private final InstantSource clock;
  private final ExecutorService threads;
  private final HttpClient http;
  private final ResponderGuards guards;

  OcspClient(OcspSettings settings, InstantSource clock, ProviderMeter meter) {
    this.settings = settings;
    this.clock = clock;
    threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "ocsp-client");
              thread.setDaemon(true);
              return thread;
            });
    http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(settings.timeout())
            .executor(threads)
            .build();
    guards = new ResponderGuards(this::openGuard, meter);
  }

  private GuardedService<OcspResponse> openGuard(String responder, ProviderMeter meter) {
    return GuardedService.open(
        "ocsp " + responder,
        new GuardedService.Limits(
            settings.timeout(),
            settings.maxConcurrent(),
            settings.maxWaiting(),
            settings.cacheSize()),
        new GuardedService.Reading<>(OcspClient::outcomeOf, this::cacheTime),
        meter);
  }

  private static CallOutcome outcomeOf(OcspResponse response) {
    return response.status().kind() == Kind.GOOD ? CallOutcome.ALLOW : CallOutcome.DENY;
  }

  private Duration cacheTime(OcspResponse response) {
    Duration valid = Duration.between(clock.instant(), response.validUntil());
    return valid.compareTo(settings.cacheTime()) < 0 ? valid : settings.cacheTime();
  }

  /**
   * Returns the status of a certificate; the future never fails.
   *
   * @param useCache false to ask the responder in any case
   * @param abandoned whether nobody waits for the response anymore
   */
  CompletableFuture<RevocationStatus> status(
      X509Certificate certificate,
      X509Certificate issuer,
      boolean useCache,
      BooleanSupplier abandoned) {
    URI responder =
        settings.url().isEmpty()
            ? OcspRequest.responderOf(certificate)
            : URI.create(settings.url());
    if (responder == null) {
      return CompletableFuture.completedFuture(
          RevocationStatus.undetermined(
              "certificate "
                  + certificate.getSerialNumber().toString(16)
                  + " names no OCSP responder, and securityConfig.ocsp.url is not set"));
    }
    return guards
        .of(responder)
        .ask(
            key(certificate, issuer, responder),
            useCache,
            () -> send(certificate, issuer, responder),
            abandoned)
        .handle(
            (response, error) ->
                response == null
                    ? RevocationStatus.undetermined(
                        "the OCSP responder "
                            + responder
                            + " did not respond: "
                            + CallFailedException.messageOf(error))
                    : response.status());
  }

  /**
   * Returns what a response depends on. Authorities can have the same name, but not the same key.
   */
  private static String key(X509Certificate certificate, X509Certificate issuer, URI responder) {
    return issuer.getSubjectX500Principal().getName()
        + "\n"
        + Base64.getEncoder().encodeToString(issuer.getPublicKey().getEncoded())
        + "\n"
        + certificate.getSerialNumber()
        + "\n"
        + responder;
  }

  private CompletionStage<OcspResponse> send(
      X509Certificate certificate, X509Certificate issuer, URI responder) {
    try {
      OcspRequest request = OcspRequest.about(certificate, issuer, settings.nonce());
      HttpRequest post =
          HttpRequest.newBuilder(responder)
              .timeout(settings.timeout())
              .header("Content-Type", TYPE)
              .POST(HttpRequest.BodyPublishers.ofByteArray(request.encoded()))
              .build();
      CompletableFuture<HttpResponse<byte[]>> sent =
          http.sendAsync(post, head -> new BoundedBodySubscriber(MAX_RESPONSE_BYTES));
      CompletableFuture<OcspResponse> verified =
          sent.handle((response, error) -> read(response, error, request));
      verified.whenComplete(
          (done, error) -> {
            if (verified.isCancelled()) {
              sent.cancel(true);
            }
          });
      return verified;
    } catch (OCSPException | IllegalArgumentException e) {
      return CompletableFuture.failedFuture(
          ProviderException.aboutClient(String.valueOf(e.getMessage()), e));
    }
  }

  private OcspResponse read(
      @Nullable HttpResponse<byte[]> response, @Nullable Throwable error, OcspRequest request) {
    if (response == null) {
      throw new CompletionException(new ProviderException(String.valueOf(error), true, error));
    }
    if (response.statusCode() != HTTP_OK) {
      throw new CompletionException(
          new ProviderException("HTTP status " + response.statusCode(), false, null));
    }
    Instant now = clock.instant();
    try {
      return OcspResponse.read(response.body(), request, settings.nonce(), now);
    } catch (ProviderException e) {
      throw new CompletionException(e);
    }
  }

  /** Removes all cached responses. */
  void clearCache() {
    guards.clearCaches();
  }

  @Override
  public void close() {
    try {
      guards.close();
    } finally {
      threads.shutdownNow();
    }
  }
}
