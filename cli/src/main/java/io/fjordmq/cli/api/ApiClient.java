package io.fjordmq.cli.api;

import io.fjordmq.cli.api.ApiFailure.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Sends requests to the API of one node and waits for the responses. Not thread-safe. */
public final class ApiClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(60);

  private final ApiAccess access;
  private final HttpClient http;

  public ApiClient(ApiAccess access) {
    this.access = access;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIMEOUT);
    if (access.tls() != null) {
      builder.sslContext(access.tls());
    } else if (access.url().startsWith("http:")) {
      builder.sslContext(
          Trust.thisHost()); // unused; loading the JDK's certificates would take 100 ms
    }
    http = builder.build();
  }

  /**
   * Sends a GET request.
   *
   * @throws ApiFailure if the request fails
   */
  public ApiReply get(ApiPath path) {
    return send("GET", path, null);
  }

  /**
   * Sends a POST request.
   *
   * @param body null for none
   * @throws ApiFailure if the request fails
   */
  public ApiReply post(ApiPath path, @Nullable JsonNode body) {
    return send("POST", path, body);
  }

  /**
   * Sends a PUT request.
   *
   * @throws ApiFailure if the request fails
   */
  public ApiReply put(ApiPath path, JsonNode body) {
    return send("PUT", path, body);
  }

  /**
   * Sends a DELETE request.
   *
   * @throws ApiFailure if the request fails
   */
  public ApiReply delete(ApiPath path) {
    return send("DELETE", path, null);
  }

  private ApiReply send(String method, ApiPath path, @Nullable JsonNode body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(access.uri(path))
            .timeout(RESPONSE_TIMEOUT)
            .header("Authorization", access.authorization())
            .header("Accept", "application/json")
            .method(
                method,
                body == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(body.toString(), StandardCharsets.UTF_8));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    try {
      return reply(http.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw failure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ApiFailure.unreachable("interrupted while waiting for " + access.url(), e);
    }
  }

  private ApiReply reply(HttpResponse<String> response) {
    int status = response.statusCode();
    String text = response.body();
    if (status < 200 || status > 299) {
      throw rejected(status, text);
    }
    if (text.isBlank()) {
      return new ApiReply(status, "", MissingNode.getInstance());
    }
    try {
      return new ApiReply(status, text, Json.parse(text));
    } catch (JacksonException e) {
      throw noApi(status);
    }
  }

  private ApiFailure rejected(int status, String text) {
    JsonNode body = MissingNode.getInstance();
    try {
      body = Json.parse(text);
    } catch (JacksonException e) {
      // not an error of the API
    }
    JsonNode message = body.path("message");
    if (!message.isString()) {
      return noApi(status);
    }
    String advice = status == 401 ? "; " + access.credentialsAdvice() : "";
    Kind kind =
        body.path("code").asString("").equals("ALREADY_EXISTS") ? Kind.EXISTS : kindOf(status);
    return new ApiFailure(kind, message.asString() + advice);
  }

  private static Kind kindOf(int status) {
    return switch (status) {
      case 400, 409 -> Kind.INVALID;
      case 404 -> Kind.NOT_FOUND;
      default -> Kind.REJECTED;
    };
  }

  private ApiFailure noApi(int status) {
    return new ApiFailure(
        Kind.REJECTED,
        "unexpected response from %s (HTTP status %d); is this the HTTP port of a FjordMQ node?"
            .formatted(access.url(), status));
  }

  private ApiFailure failure(IOException cause) {
    if (cause instanceof SSLException) {
      ApiFailure failure =
          new ApiFailure(
              Kind.REJECTED,
              ("TLS handshake with %s failed: %s; check the URL, and name the certificate authority"
                      + " with --cacert")
                  .formatted(access.url(), reason(cause)));
      failure.initCause(cause);
      return failure;
    }
    if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
      return ApiFailure.unreachable(
          "cannot connect to %s: %s; %s"
              .formatted(access.url(), reason(cause), access.unreachableAdvice()),
          cause);
    }
    if (cause instanceof HttpTimeoutException) {
      return ApiFailure.unreachable(
          "%s did not respond within %d s; see the log of the node"
              .formatted(access.url(), RESPONSE_TIMEOUT.toSeconds()),
          cause);
    }
    return ApiFailure.unreachable(
        "no response from %s: %s; check that the URL begins with https:// if the port uses TLS"
            .formatted(access.url(), reason(cause)),
        cause);
  }

  /** The first message in the chain of causes; those of {@link HttpClient} often have none. */
  private static String reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnresolvedAddressException) {
        return "unknown host";
      }
      if (cause.getMessage() != null) {
        return cause.getMessage();
      }
    }
    return failure instanceof ConnectException ? "connection refused" : "connection closed";
  }
}
