package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.ApiKey;
import io.fjordmq.broker.accounts.ApiKeys;
import io.fjordmq.broker.accounts.Role;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The API keys: credentials of programs. */
final class ApiKeysResource implements Resource {
  private static final String TAG = "API keys";
  private static final String VARIABLE = "name";
  private static final String PATH = "/api_key/{name}";
  private static final String NOT_FOUND = "The API key does not exist";
  private static final String NEVER = "infinity";

  private final ApiKeys keys;

  record ApiKeyJson(
      @Field("Name of the API key") String name,
      @Field("User name for HTTP Basic authentication") String apiKey,
      @Field("Password for HTTP Basic authentication; only in the response that creates the key")
          @Nullable String apiSecret,
      @Field("What callers with this key may do") Role role,
      @Field("Tenant that the key is bound to; absent if the key gives access to all tenants")
          @Nullable String tenant,
      @Field("Free text; may be empty") String desc,
      @Field("Whether the key is accepted") boolean enable,
      @Field(value = "When the key expires, or `infinity`", timeOr = NEVER) String expiredAt,
      @Field("Whether the key has expired") boolean expired,
      @Field("When the key was created") Instant createdAt) {
    @Override
    public String toString() {
      return name; // without the secret
    }
  }

  record CreateApiKeyRequest(
      @Field(
              value = AccountFields.NAME_TEXT,
              minLength = 1,
              maxLength = 64,
              pattern = AccountFields.NAME,
              example = "monitoring")
          String name,
      @Field("What callers with this key may do; administrator if absent") @Nullable Role role,
      @Field(
              value = "Tenant that the key is bound to; if absent, that of the caller",
              minLength = 1,
              maxLength = 256,
              pattern = AccountFields.ONE_LINE)
          @Nullable String tenant,
      @Field(value = "Free text", maxLength = 256, pattern = AccountFields.ONE_LINE)
          @Nullable String desc,
      @Field("Whether the key is accepted; true if absent") @Nullable Boolean enable,
      @Field(
              value = "When the key expires, such as 2026-12-31T00:00:00Z; `infinity` if absent",
              timeOr = NEVER,
              example = NEVER)
          @Nullable String expiredAt) {}

  record UpdateApiKeyRequest(
      @Field("What callers with this key may do; unchanged if absent") @Nullable Role role,
      @Field(
              value = "Free text; unchanged if absent",
              maxLength = 256,
              pattern = AccountFields.ONE_LINE)
          @Nullable String desc,
      @Field("Whether the key is accepted; unchanged if absent") @Nullable Boolean enable,
      @Field(
              value =
                  "When the key expires, such as 2026-12-31T00:00:00Z, or `infinity`; unchanged if"
                      + " absent",
              timeOr = NEVER,
              example = NEVER)
          @Nullable String expiredAt) {}

  ApiKeysResource(ApiKeys keys) {
    this.keys = keys;
  }

  @Override
  public List<Operation> operations() {
    return List.of(listKeys(), createKey(), showKey(), updateKey(), deleteKey());
  }

  private Operation listKeys() {
    return Operation.get("/api_key")
        .id("listApiKeys")
        .tag(TAG)
        .summary("List the API keys")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .okArray(ApiKeyJson.class)
        .handler(this::list);
  }

  private Operation createKey() {
    return Operation.post("/api_key")
        .id("createApiKey")
        .tag(TAG)
        .summary("Create an API key")
        .description("The response contains the secret, which cannot be shown again.")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .body(CreateApiKeyRequest.class)
        .target(request -> request.body(CreateApiKeyRequest.class).name())
        .ok(ApiKeyJson.class)
        .conflict("An API key with this name exists, or there are 1,000 API keys")
        .handler(this::create);
  }

  private Operation showKey() {
    return Operation.get(PATH)
        .id("showApiKey")
        .tag(TAG)
        .summary("Show an API key")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .path(VARIABLE, "Name of the API key")
        .ok(ApiKeyJson.class)
        .notFound(NOT_FOUND)
        .handler(this::show);
  }

  private Operation updateKey() {
    return Operation.put(PATH)
        .id("updateApiKey")
        .tag(TAG)
        .summary("Change an API key")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .path(VARIABLE, "Name of the API key")
        .body(UpdateApiKeyRequest.class)
        .ok(ApiKeyJson.class)
        .notFound(NOT_FOUND)
        .conflict("Another request changed the API key at the same time")
        .handler(this::update);
  }

  private Operation deleteKey() {
    return Operation.delete(PATH)
        .id("deleteApiKey")
        .tag(TAG)
        .summary("Delete an API key")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .path(VARIABLE, "Name of the API key")
        .noContent()
        .notFound(NOT_FOUND)
        .conflict("Another request changed the API key at the same time")
        .handler(this::delete);
  }

  private CompletableFuture<Response> list(Request request) {
    return CompletableFuture.completedFuture(
        Response.ok(keys.list(request.caller()).stream().map(key -> json(key, null)).toList()));
  }

  private CompletableFuture<Response> create(Request request) {
    CreateApiKeyRequest body = request.body(CreateApiKeyRequest.class);
    ApiKey.Expiry expiry = expiry(body.expiredAt());
    ApiKey.Draft draft =
        new ApiKey.Draft(
            body.name(),
            Objects.requireNonNullElse(body.role(), Role.ADMINISTRATOR),
            body.tenant(),
            Objects.requireNonNullElse(body.desc(), ""),
            Objects.requireNonNullElse(body.enable(), true),
            expiry == null ? null : expiry.at());
    return translate(keys.add(request.caller(), draft))
        .thenApply(created -> Response.ok(json(created.key(), created.secret())));
  }

  private CompletableFuture<Response> show(Request request) {
    String name = request.path(VARIABLE);
    ApiKey key = keys.find(request.caller(), name);
    if (key == null) {
      throw ApiException.notFound("API key '" + Excerpt.of(name) + "' does not exist");
    }
    return CompletableFuture.completedFuture(Response.ok(json(key, null)));
  }

  private CompletableFuture<Response> update(Request request) {
    UpdateApiKeyRequest body = request.body(UpdateApiKeyRequest.class);
    ApiKey.Update update =
        new ApiKey.Update(body.role(), body.desc(), body.enable(), expiry(body.expiredAt()));
    return translate(keys.update(request.caller(), request.path(VARIABLE), update))
        .thenApply(key -> Response.ok(json(key, null)));
  }

  private CompletableFuture<Response> delete(Request request) {
    return translate(keys.remove(request.caller(), request.path(VARIABLE)))
        .thenApply(removed -> Response.noContent());
  }

  private ApiKeyJson json(ApiKey key, @Nullable String secret) {
    Instant expiresAt = key.expiresAt();
    return new ApiKeyJson(
        key.name(),
        key.id(),
        secret,
        key.role(),
        key.tenant(),
        key.description(),
        key.enabled(),
        expiresAt == null ? NEVER : expiresAt.toString(),
        keys.isExpired(key),
        key.createdAt());
  }

  /** Parses the expiry of a request; null if there is none. */
  private static ApiKey.@Nullable Expiry expiry(@Nullable String text) {
    if (text == null) {
      return null;
    }
    if (text.equals(NEVER)) {
      return new ApiKey.Expiry(null);
    }
    return new ApiKey.Expiry(Rfc3339.parse(text));
  }

  private static <T> CompletableFuture<T> translate(CompletableFuture<T> result) {
    return AccountFailures.translate(result, ErrorCode.NOT_FOUND, ErrorCode.BAD_REQUEST);
  }
}
