package io.fjordmq.auth.http;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthenticationResult;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.auth.rules.RulesJson;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Asks an HTTP service whether a client may connect. */
final class HttpAuthentication implements AuthenticationProvider {
  private final HttpService service;
  private final boolean emqx4;

  /**
   * @param emqx4 whether only the status of the response counts
   */
  HttpAuthentication(HttpService service, boolean emqx4) {
    this.service = service;
    this.emqx4 = emqx4;
  }

  @Override
  public CompletionStage<AuthenticationResult> authenticate(ClientContext client) {
    try {
      CompletableFuture<HttpService.Response> sent = service.send(service.prepare(client));
      CompletableFuture<AuthenticationResult> result =
          sent.thenApply(response -> resultOf(client, response));
      result.whenComplete(
          (done, error) -> {
            if (result.isCancelled()) {
              sent.cancel(true);
            }
          });
      return result;
    } catch (ProviderException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private AuthenticationResult resultOf(ClientContext client, HttpService.Response response) {
    try {
      Verdict verdict = Verdict.of(response, emqx4);
      return switch (verdict.result()) {
        case ALLOW -> allow(client, verdict).cachedFor(response.maxAge());
        case DENY -> AuthenticationResult.deny(verdict.detail()).cachedFor(response.maxAge());
        case PASS ->
            verdict.failed()
                ? AuthenticationResult.ignoreFailure(verdict.detail())
                : AuthenticationResult.ignore(verdict.detail()).cachedFor(response.maxAge());
      };
    } catch (ProviderException e) {
      throw new CompletionException(e);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new CompletionException(
          ProviderException.aboutClient("invalid response: " + e.getMessage(), e));
    }
  }

  private static AuthenticationResult allow(ClientContext client, Verdict verdict) {
    Map<String, Object> fields = verdict.fields();
    String override = clientId(fields.get("clientid_override"));
    Instant expiresAt = expiry(fields.get("expire_at"));
    if (expiresAt != null && !expiresAt.isAfter(Instant.now())) {
      return AuthenticationResult.deny(
          DenyReason.NOT_AUTHORIZED, "the credentials expired at " + expiresAt);
    }
    Map<String, String> attributes = attributes(fields.get("client_attrs"));
    Object acl = fields.get("acl");
    ClientContext known =
        ClientContext.withoutPassword(
            override == null ? client.clientId() : override,
            client.userName(),
            client.address(),
            client.certificate(),
            client.listener(),
            "",
            attributes);
    Permissions permissions =
        acl == null ? null : RulesJson.permissions(acl, known, "acl of the response");
    return AuthenticationResult.allow(
        new Identity(
                "",
                client.userName(),
                permissions,
                attributes,
                Boolean.TRUE.equals(fields.get("is_superuser")),
                expiresAt)
            .withClientId(override));
  }

  private static @Nullable String clientId(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    if (!(value instanceof String text) || text.isEmpty()) {
      throw new IllegalArgumentException(
          "clientid_override must be a non-empty string, not " + value);
    }
    return text;
  }

  private static @Nullable Instant expiry(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    if (!(value instanceof Number seconds)) {
      throw new IllegalArgumentException("expire_at must be a number of seconds, not " + value);
    }
    return Instant.ofEpochSecond(seconds.longValue());
  }

  private static Map<String, String> attributes(@Nullable Object value) {
    Map<String, String> attributes = new HashMap<>();
    if (value == null) {
      return attributes;
    }
    if (!(value instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("client_attrs must be an object");
    }
    map.forEach(
        (name, text) -> {
          if (text != null) {
            attributes.put(String.valueOf(name), String.valueOf(text));
          }
        });
    return attributes;
  }

  /** The rules of a response can contain the names of the client, even if the request does not. */
  @Override
  public @Nullable String cacheKey(ClientContext client) {
    try {
      return client.clientId().length()
          + ":"
          + client.clientId()
          + "\n"
          + client.userName()
          + "\n"
          + client.listener()
          + "\n"
          + client.address()
          + "\n"
          + service.prepare(client).text();
    } catch (ProviderException e) {
      return null;
    }
  }

  @Override
  public void close() {
    service.close();
  }
}
