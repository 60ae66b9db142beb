package io.fjordmq.auth.sql;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthenticationResult;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.auth.hash.ConfiguredHash;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Compares passwords with those in a table. */
final class SqlAuthentication implements AuthenticationProvider {
  private static final byte[] NO_PASSWORD = {};

  /** The columns with a meaning; others become attributes of the client. */
  private static final Set<String> KNOWN =
      Set.of("password_hash", "password", "salt", "is_superuser", "username", "clientid");

  private final SqlDatabase database;
  private final SqlQuery query;
  private final ConfiguredHash hash;
  private final Executor executor;

  /**
   * @param executor computes password hashes
   */
  SqlAuthentication(SqlDatabase database, SqlQuery query, ConfiguredHash hash, Executor executor) {
    this.database = database;
    this.query = query;
    this.hash = hash;
    this.executor = executor;
  }

  @Override
  public CompletionStage<AuthenticationResult> authenticate(ClientContext client) {
    List<@Nullable String> values = query.valuesOf(client);
    if (SqlQuery.isUnstorable(values)) {
      return CompletableFuture.completedFuture(
          AuthenticationResult.ignore("no text in the database contains the character U+0000"));
    }
    CompletableFuture<List<SqlRow>> rows = database.rows(values);
    CompletableFuture<AuthenticationResult> result =
        rows.thenApplyAsync(found -> resultOf(client, found), executor);
    result.whenComplete(
        (done, error) -> {
          if (result.isCancelled()) {
            rows.cancel(true);
          }
        });
    return result;
  }

  private AuthenticationResult resultOf(ClientContext client, List<SqlRow> rows) {
    if (rows.isEmpty()) {
      return AuthenticationResult.ignore("the query returned no row");
    }
    SqlRow row = rows.get(0);
    String otherName = otherName(client, row);
    if (otherName != null) {
      return AuthenticationResult.ignore(otherName);
    }
    String stored = row.get("password_hash", "password");
    if (stored == null) {
      throw new CompletionException(
          ProviderException.aboutClient(
              "the row has no value in the column password_hash or password", null));
    }
    byte[] given = client.password();
    String salt = row.values().getOrDefault("salt", "");
    if (!hash.matches(given == null ? NO_PASSWORD : given, stored, salt)) {
      return AuthenticationResult.deny("wrong password");
    }
    try {
      boolean superuser = row.isTrue("is_superuser");
      return AuthenticationResult.allow(
          new Identity("", client.userName(), null, attributes(row), superuser, null));
    } catch (IllegalArgumentException e) {
      throw new CompletionException(
          ProviderException.aboutClient(String.valueOf(e.getMessage()), e));
    }
  }

  /**
   * Returns why the row belongs to another client; null if it does not. Many databases ignore case
   * and trailing spaces, but bans, rules and topics do not.
   */
  private static @Nullable String otherName(ClientContext client, SqlRow row) {
    String username = row.get("username");
    if (username != null && !username.isEmpty() && !username.equals(client.userName())) {
      return "the row belongs to user '" + username + "', whose name does not match exactly";
    }
    String clientId = row.get("clientid");
    if (clientId != null && !clientId.isEmpty() && !clientId.equals(client.clientId())) {
      return "the row belongs to the client '" + clientId + "'";
    }
    return null;
  }

  private static Map<String, String> attributes(SqlRow row) {
    Map<String, String> attributes = new LinkedHashMap<>(row.values());
    attributes.keySet().removeAll(KNOWN);
    return attributes;
  }

  @Override
  public @Nullable String cacheKey(ClientContext client) {
    StringBuilder key = new StringBuilder();
    SqlQuery.appendTo(key, query.valuesOf(client));
    key.append(client.clientId().length()).append(':').append(client.clientId()).append('\n');
    key.append(client.userName()).append('\n');
    byte[] given = client.password();
    return key.append(given == null ? "-" : Base64.getEncoder().encodeToString(given)).toString();
  }

  @Override
  public void close() {
    database.close();
  }
}
