package io.fjordmq.cli.api;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A node and the credentials for its API.
 *
 * @param url scheme, host and port of the node, without a slash at the end
 * @param authorization the value of the header {@code Authorization}
 * @param tls the trusted certificates; null for those of the JDK
 * @param unreachableAdvice what to do if the node cannot be reached
 * @param credentialsAdvice what to do if the node rejects the credentials
 */
public record ApiAccess(
    String url,
    String authorization,
    @Nullable SSLContext tls,
    String unreachableAdvice,
    String credentialsAdvice) {
  private static final String BASE_PATH = "/api/v5";

  /** Returns the value of the header for an API key, or for a user name and a password. */
  public static String basic(String key, String secret) {
    return "Basic "
        + Base64.getEncoder().encodeToString((key + ":" + secret).getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the value of the header for a token. */
  public static String bearer(String token) {
    return "Bearer " + token;
  }

  /**
   * Checks a URL that a user has entered, and removes the base path of the API and slashes at its
   * end.
   *
   * @throws IllegalArgumentException if it is invalid; the message says what is allowed
   */
  public static String checkUrl(String text) {
    String url = text.replaceAll("/+$", "");
    if (url.endsWith(BASE_PATH)) {
      url = url.substring(0, url.length() - BASE_PATH.length());
    }
    try {
      URI uri = new URI(url);
      boolean http = "http".equalsIgnoreCase(uri.getScheme());
      boolean https = "https".equalsIgnoreCase(uri.getScheme());
      if ((http || https)
          && uri.getHost() != null
          && uri.getUserInfo() == null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // reported below
    }
    throw new IllegalArgumentException(
        "invalid URL '" + text + "': expected http://HOST:PORT or https://HOST:PORT");
  }

  URI uri(ApiPath path) {
    return URI.create(url + BASE_PATH + path);
  }

  @Override
  public String toString() {
    return url; // without the credentials
  }
}
