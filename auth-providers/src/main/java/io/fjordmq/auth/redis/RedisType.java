package io.fjordmq.auth.redis;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthorizationProvider;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.ProviderType;
import io.fjordmq.auth.hash.StoredHash;
import java.util.ArrayList;
import java.util.List;

/** Users and rules in Redis. */
public final class RedisType implements ProviderType {
  static final String DEFAULT_USER_COMMAND =
      "HMGET mqtt_user:${username} password_hash password salt is_superuser";
  static final String DEFAULT_RULES_COMMAND = "HGETALL mqtt_acl:${username}";

  @Override
  public String name() {
    return "redis";
  }

  @Override
  public List<ProviderKey> keys() {
    List<ProviderKey> keys = new ArrayList<>(RedisSettings.KEYS);
    keys.add(ProviderKey.value("command"));
    keys.addAll(StoredHash.KEYS);
    return keys;
  }

  @Override
  public boolean authenticates() {
    return true;
  }

  @Override
  public boolean authorizes() {
    return true;
  }

  @Override
  public Opening<AuthenticationProvider> authentication(ProviderSettings settings) {
    RedisSettings server = RedisSettings.of(settings);
    RedisCommand command = RedisCommand.of(settings, "HMGET", DEFAULT_USER_COMMAND);
    if (!command.fields().contains("password_hash") && !command.fields().contains("password")) {
      throw settings.invalid(
          "command", "a command that reads password_hash or password", settings.text("command"));
    }
    PasswordFieldHash hashes = PasswordFieldHash.of(settings);
    return executor -> {
      RedisConnection connection = RedisConnection.open(server);
      return new RedisAuthentication(connection, command, hashes, executor);
    };
  }

  @Override
  public Opening<AuthorizationProvider> authorization(ProviderSettings settings) {
    RedisSettings server = RedisSettings.of(settings);
    RedisCommand command = RedisCommand.of(settings, "HGETALL", DEFAULT_RULES_COMMAND);
    StoredHash.requireUnset(settings);
    return executor -> new RedisRules(RedisConnection.open(server), command);
  }
}
