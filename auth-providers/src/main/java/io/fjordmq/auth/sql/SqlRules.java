package io.fjordmq.auth.sql;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.RuleProvider;
import io.fjordmq.api.auth.RuleResult;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.auth.rules.RulesJson;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reads rules from a table, one per row. The columns {@code username}, {@code clientid} and {@code
 * ipaddress} limit a rule to certain clients.
 */
final class SqlRules implements RuleProvider {
  private static final String EVERYONE = "$all";

  private final SqlDatabase database;
  private final SqlQuery query;

  SqlRules(SqlDatabase database, SqlQuery query) {
    this.database = database;
    this.query = query;
  }

  @Override
  public CompletionStage<RuleResult> rules(ClientContext client) {
    List<@Nullable String> values = query.valuesOf(client);
    if (SqlQuery.isUnstorable(values)) {
      return CompletableFuture.failedFuture(
          ProviderException.aboutClient(
              "no text in the database contains the character U+0000", null));
    }
    CompletableFuture<List<SqlRow>> rows = database.rows(values);
    CompletableFuture<RuleResult> result = rows.thenApply(found -> resultOf(client, found));
    result.whenComplete(
        (done, error) -> {
          if (result.isCancelled()) {
            rows.cancel(true);
          }
        });
    return result;
  }

  private static RuleResult resultOf(ClientContext client, List<SqlRow> rows) {
    List<RuleTemplate> rules = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      try {
        if (appliesTo(client, rows.get(i))) {
          rules.addAll(RulesJson.templates(List.of(ruleOf(rows.get(i))), "query"));
        }
      } catch (IllegalArgumentException e) {
        // Leaving out a rule that denies would give the client more rights.
        throw new CompletionException(
            ProviderException.aboutClient(
                "row " + (i + 1) + " is not a valid rule: " + e.getMessage(), e));
      }
    }
    return new RuleResult(rules, null);
  }

  private static boolean appliesTo(ClientContext client, SqlRow row) {
    String username = row.get("username");
    return (EVERYONE.equals(username) || isUnsetOr(username, client.userName()))
        && isUnsetOr(row.get("clientid"), client.clientId())
        && includes(row.get("ipaddress", "ipaddr"), client.address());
  }

  private static boolean isUnsetOr(@Nullable String required, @Nullable String actual) {
    return required == null || required.isEmpty() || required.equals(actual);
  }

  private static boolean includes(@Nullable String range, @Nullable InetAddress address) {
    if (range == null || range.isEmpty()) {
      return true;
    }
    AddressRange parsed = AddressRange.parse(range);
    return address != null && parsed.contains(address);
  }

  private static Map<String, Object> ruleOf(SqlRow row) {
    Map<String, Object> rule = new LinkedHashMap<>();
    rule.put("permission", permission(row));
    rule.put("action", required("action", row.get("action", "access")));
    rule.put("topic", required("topic", row.get("topic")));
    putUnlessUnset(rule, "qos", row.get("qos"));
    putUnlessUnset(rule, "retain", row.get("retain"));
    return rule;
  }

  private static String permission(SqlRow row) {
    if (row.get("allow") != null && row.get("permission") == null) {
      return row.isTrue("allow") ? "allow" : "deny"; // EMQX 4
    }
    return required("permission", row.get("permission")).toLowerCase(Locale.ROOT);
  }

  private static String required(String column, @Nullable String value) {
    if (value == null) {
      throw new IllegalArgumentException("the row has no value in the column " + column);
    }
    return value;
  }

  private static void putUnlessUnset(
      Map<String, Object> rule, String name, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      rule.put(name, value);
    }
  }

  @Override
  public @Nullable String cacheKey(ClientContext client) {
    StringBuilder key = new StringBuilder();
    SqlQuery.appendTo(key, query.valuesOf(client));
    key.append(client.clientId().length()).append(':').append(client.clientId()).append('\n');
    return key.append(client.address()).append('\n').append(client.userName()).toString();
  }

  @Override
  public void close() {
    database.close();
  }
}
