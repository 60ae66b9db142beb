package io.fjordmq.auth.redis;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthenticationResult;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.Identity;
import io.lettuce.core.KeyValue;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Compares passwords with those in Redis. */
final class RedisAuthentication implements AuthenticationProvider {
  private static final byte[] NO_PASSWORD = {};

  private final RedisConnection connection;
  private final RedisCommand command;
  private final PasswordFieldHash hashes;
  private final Executor executor;

  /**
   * @param executor computes password hashes
   */
  RedisAuthentication(
      RedisConnection connection,
      RedisCommand command,
      PasswordFieldHash hashes,
      Executor executor) {
    this.connection = connection;
    this.command = command;
    this.hashes = hashes;
    this.executor = executor;
  }

  @Override
  public CompletionStage<AuthenticationResult> authenticate(ClientContext client) {
    String key = command.keyOf(client);
    if (key == null) {
      return CompletableFuture.completedFuture(
          AuthenticationResult.ignore("the client has no value for a placeholder of the key"));
    }
    return connection
        .read(key, command.fields())
        .thenApplyAsync(values -> resultOf(client, key, values), executor);
  }

  private AuthenticationResult resultOf(
      ClientContext client, String key, List<KeyValue<String, String>> values) {
    Map<String, String> found = new HashMap<>();
    for (KeyValue<String, String> value : values) {
      if (value.hasValue()) {
        found.put(value.getKey(), value.getValue());
      }
    }
    String field = found.containsKey("password_hash") ? "password_hash" : "password";
    String stored = found.get(field);
    if (stored == null) {
      return AuthenticationResult.ignore("no user at the key " + key);
    }
    byte[] given = client.password();
    byte[] password = given == null ? NO_PASSWORD : given;
    if (!hashes.matches(password, field, stored, found.getOrDefault("salt", ""))) {
      return AuthenticationResult.deny("wrong password");
    }
    return AuthenticationResult.allow(
        new Identity(
            "", client.userName(), null, Map.of(), isTrue(found.get("is_superuser")), null));
  }

  private static boolean isTrue(@Nullable String value) {
    return value != null && (value.equals("1") || value.equalsIgnoreCase("true"));
  }

  @Override
  public @Nullable String cacheKey(ClientContext client) {
    String key = command.keyOf(client);
    if (key == null) {
      return null;
    }
    byte[] given = client.password();
    // The length separates the key from what follows, whatever it contains.
    return key.length()
        + ":"
        + key
        + "\n"
        + client.userName()
        + "\n"
        + (given == null ? "-" : Base64.getEncoder().encodeToString(given));
  }

  @Override
  public void close() {
    connection.close();
  }
}
