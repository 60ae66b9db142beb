package io.fjordmq.auth.sql;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthorizationProvider;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.ProviderType;
import io.fjordmq.auth.hash.ConfiguredHash;
import io.fjordmq.auth.hash.StoredHash;
import io.fjordmq.auth.rules.RulesJson;
import java.util.ArrayList;
import java.util.List;

/** Users and rules in the tables of a database. */
abstract class SqlType implements ProviderType {
  /** The table that EMQX documents. The name is compared again; see {@link SqlAuthentication}. */
  private static final String DEFAULT_USER_QUERY =
      "SELECT username, password_hash, salt, is_superuser FROM mqtt_user"
          + " WHERE username = ${username} LIMIT 1";

  /**
   * The table that EMQX documents, whose columns qos, retain, ipaddress, clientid can be absent.
   */
  private static final String DEFAULT_RULES_QUERY =
      "SELECT * FROM mqtt_acl WHERE username = ${username} ORDER BY id";

  private final SqlDriver driver;

  SqlType(SqlDriver driver) {
    this.driver = driver;
  }

  @Override
  public List<ProviderKey> keys() {
    List<ProviderKey> keys = new ArrayList<>(SqlSettings.KEYS);
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
    SqlSettings server = SqlSettings.of(settings, driver);
    SqlQuery query = SqlQuery.of(settings, DEFAULT_USER_QUERY, true);
    ConfiguredHash hash = ConfiguredHash.of(settings, StoredHash.Kind.SHA256);
    return executor -> {
      server.warnIfPlain();
      SqlDatabase database = new SqlDatabase(driver, server, query, 1);
      database.checkInBackground();
      return new SqlAuthentication(database, query, hash, executor);
    };
  }

  @Override
  public Opening<AuthorizationProvider> authorization(ProviderSettings settings) {
    SqlSettings server = SqlSettings.of(settings, driver);
    SqlQuery query = SqlQuery.of(settings, DEFAULT_RULES_QUERY, false);
    StoredHash.requireUnset(settings);
    return executor -> {
      server.warnIfPlain();
      SqlDatabase database = new SqlDatabase(driver, server, query, RulesJson.MAX_RULES);
      database.checkInBackground();
      return new SqlRules(database, query);
    };
  }
}
