package io.fjordmq.auth.http;

import io.fjordmq.api.auth.Escaper;
import io.fjordmq.api.auth.PlaceholderValues;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.Template;
import io.fjordmq.auth.files.FileBackedValue;
import io.fjordmq.auth.tls.PemContext;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Sends requests to a service over connections that are kept alive. Thread-safe. */
final class HttpService implements AutoCloseable {
  private static final Pattern MAX_AGE = Pattern.compile("(?i)\\bmax-age=([0-9]{1,9})\\b");
  private static final Pattern NOT_STORED = Pattern.compile("(?i)\\b(no-store|no-cache)\\b");
  private static final int THREADS = 2;

  /**
   * A request whose placeholders are replaced.
   *
   * @param body empty for GET
   */
  record Prepared(URI uri, String body, Map<String, String> headers) {
    /** Everything that the response depends on. */
    String text() {
      return uri + "\n" + headers + "\n" + body;
    }
  }

  /** A response. */
  record Response(int status, byte[] body, @Nullable Duration maxAge) {}

  private final HttpSettings settings;
  private final ExecutorService threads;
  private final FileBackedValue<HttpClient> client;
  private final JsonMapper json = JsonMapper.builder().build();

  HttpService(HttpSettings settings) {
    this.settings = settings;
    settings.warnIfPlain();
    // Only the client's own tasks run here, which are short; their number is bounded by the number
    // of requests.
    threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "auth-http-client");
              thread.setDaemon(true);
              return thread;
            });
    client =
        FileBackedValue.read(
            settings.provider(), List.of("trustFile", "certFile", "keyFile"), this::newClient);
  }

  /** The client keeps connections open, so that new certificates need a new one. */
  private HttpClient newClient() {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(settings.timeout())
            .executor(threads);
    SSLContext tls = PemContext.of(settings.provider());
    if (tls != null) {
      builder.sslContext(tls);
    }
    return builder.build();
  }

  /**
   * Prepares a request; missing values become empty text.
   *
   * @throws ProviderException if the values do not fit in a request
   */
  Prepared prepare(PlaceholderValues values) throws ProviderException {
    Map<String, String> headers = new LinkedHashMap<>();
    settings
        .headers()
        .forEach((name, value) -> headers.put(name, render(value, values, Escaper.HEADER)));
    String url = render(settings.url(), values, Escaper.URL);
    String parameters = settings.json() && settings.post() ? json(values) : form(values);
    if (!settings.post() && !parameters.isEmpty()) {
      url += (url.contains("?") ? "&" : "?") + parameters;
    }
    try {
      return new Prepared(URI.create(url), settings.post() ? parameters : "", headers);
    } catch (IllegalArgumentException e) {
      throw ProviderException.aboutClient(
          "the URL is invalid with the values of this client: " + settings.url(), e);
    }
  }

  private static String render(Template template, PlaceholderValues values, Escaper escaper) {
    String text = template.renderOrEmpty(values, escaper);
    return text == null ? "" : text;
  }

  private String json(PlaceholderValues values) {
    Map<String, String> object = new LinkedHashMap<>();
    settings
        .parameters()
        .forEach((name, value) -> object.put(name, render(value, values, Escaper.NONE)));
    return json.writeValueAsString(object);
  }

  private String form(PlaceholderValues values) {
    return settings.parameters().entrySet().stream()
        .map(
            one ->
                Escaper.URL.escape(one.getKey(), "")
                    + "="
                    + render(one.getValue(), values, Escaper.URL))
        .collect(Collectors.joining("&"));
  }

  /** Sends a request. The future fails with a {@link ProviderException}. */
  CompletableFuture<Response> send(Prepared prepared) {
    HttpRequest request;
    try {
      HttpRequest.Builder builder =
          HttpRequest.newBuilder(prepared.uri).timeout(settings.timeout());
      builder.setHeader("accept", "application/json");
      if (settings.post()) {
        builder.setHeader(
            "content-type",
            settings.json() ? "application/json" : "application/x-www-form-urlencoded");
        builder.POST(HttpRequest.BodyPublishers.ofString(prepared.body, StandardCharsets.UTF_8));
      }
      prepared.headers.forEach(builder::setHeader);
      request = builder.build();
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(
          ProviderException.aboutClient("cannot build the request: " + e.getMessage(), e));
    }
    CompletableFuture<HttpResponse<byte[]>> exchange =
        client.current().sendAsync(request, info -> new LimitedBody(settings.maxResponseBytes()));
    CompletableFuture<Response> result = new CompletableFuture<>();
    exchange.whenComplete(
        (response, error) -> {
          if (error == null) {
            result.complete(new Response(response.statusCode(), response.body(), maxAge(response)));
          } else {
            result.completeExceptionally(failureOf(error));
          }
        });
    result.whenComplete(
        (done, error) -> {
          if (result.isCancelled()) {
            exchange.cancel(true);
          }
        });
    return result;
  }

  private static @Nullable Duration maxAge(HttpResponse<?> response) {
    String control = response.headers().firstValue("cache-control").orElse("");
    if (NOT_STORED.matcher(control).find()) {
      return Duration.ZERO;
    }
    Matcher matcher = MAX_AGE.matcher(control);
    return matcher.find() ? Duration.ofSeconds(Long.parseLong(matcher.group(1))) : null;
  }

  /** A login changes nothing, so it can be repeated if the connection was lost. */
  private ProviderException failureOf(Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    boolean timedOut =
        cause instanceof HttpTimeoutException && !(cause instanceof HttpConnectTimeoutException);
    String message =
        settings.url()
            + ": "
            + (cause.getMessage() == null ? cause.toString() : cause.getMessage());
    if (cause instanceof IOException && message.contains("more than")) {
      return ProviderException.aboutClient(message, cause); // the response is too long
    }
    boolean lost = cause instanceof ConnectException || (cause instanceof IOException && !timedOut);
    return new ProviderException(message, lost, cause);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
