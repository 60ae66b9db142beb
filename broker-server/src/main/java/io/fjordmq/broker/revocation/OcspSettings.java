package io.fjordmq.broker.revocation;

import java.net.URI;
import java.time.Duration;

/**
 * Requests to OCSP responders about client certificates.
 *
 * @param enabled whether responders are asked
 * @param url the responder for all certificates; empty to use the one that a certificate names
 * @param onError what happens if a responder does not give a valid response
 * @param nonce whether responses must repeat a random number of the request
 * @param timeout time limit for a response, including the time in the queue
 * @param maxConcurrent maximum number of unanswered requests to each responder
 * @param maxWaiting maximum number of requests that wait because of maxConcurrent; further ones are
 *     errors
 * @param cacheTime how long a response is used at most; never longer than the responder allows
 * @param cacheSize maximum number of cached responses of each responder and kind, good and others
 * @param recheckInterval the pause between two checks of all connected clients; zero for none
 */
public record OcspSettings(
    boolean enabled,
    String url,
    UnknownStatusPolicy onError,
    Nonce nonce,
    Duration timeout,
    int maxConcurrent,
    int maxWaiting,
    Duration cacheTime,
    int cacheSize,
    Duration recheckInterval) {
  /** No requests. */
  public static final OcspSettings DEFAULTS =
      new OcspSettings(
          false,
          "",
          UnknownStatusPolicy.DENY,
          Nonce.OPTIONAL,
          Duration.ofSeconds(3),
          64,
          1_000,
          Duration.ofHours(1),
          100_000,
          Duration.ofHours(1));

  /** Whether a response must repeat the nonce of its request, so that it cannot be a replay. */
  public enum Nonce {
    /** A response without a nonce is accepted, because many responders sign in advance. */
    OPTIONAL,
    /** A response without the nonce is an error. */
    REQUIRED,
    /** Requests have no nonce. */
    NONE
  }

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public OcspSettings {
    if (!url.isEmpty() && !isHttp(url)) {
      throw new IllegalArgumentException("url must be an http or https URL, not '" + url + "'");
    }
    requireWithin("timeout (ms)", timeout.toMillis(), 10, 60_000);
    requireWithin("maxConcurrent", maxConcurrent, 1, 10_000);
    requireWithin("maxWaiting", maxWaiting, 0, 1_000_000);
    requireWithin("cacheTime (ms)", cacheTime.toMillis(), 0, 86_400_000);
    requireWithin("cacheSize", cacheSize, 1, 10_000_000);
    requireWithin("recheckInterval (ms)", recheckInterval.toMillis(), 0, 604_800_000);
  }

  /** Whether the text is the URL of a responder that can be asked. */
  static boolean isHttp(String text) {
    try {
      URI uri = URI.create(text);
      return uri.getHost() != null
          && ("http".equalsIgnoreCase(uri.getScheme())
              || "https".equalsIgnoreCase(uri.getScheme()));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static void requireWithin(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be between " + min + " and " + max + ", not " + value);
    }
  }
}
