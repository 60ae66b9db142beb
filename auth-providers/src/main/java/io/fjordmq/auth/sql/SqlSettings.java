package io.fjordmq.auth.sql;

import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.auth.connection.PlaintextWarning;
import io.fjordmq.auth.connection.ServerAddress;
import io.fjordmq.auth.tls.PemFiles;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The servers and how to connect to them.
 *
 * @param servers tried in this order
 * @param provider the settings of the provider, with the password of the database user
 * @param tls the files for TLS; null without TLS
 * @param verifyHost whether the certificate must contain the name of the server
 * @param poolSize maximum number of connections, and of queries at the same time
 * @param connectTimeout time limit for opening a connection to one server
 * @param timeout time limit for a query
 */
record SqlSettings(
    List<ServerAddress> servers,
    String database,
    String username,
    ProviderSettings provider,
    @Nullable PemFiles tls,
    boolean verifyHost,
    int poolSize,
    Duration connectTimeout,
    Duration timeout) {

  static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.value("servers"),
          ProviderKey.value("database"),
          ProviderKey.value("username"),
          ProviderKey.secret("password"),
          ProviderKey.value("passwordFile"),
          ProviderKey.value("tls"),
          ProviderKey.value("trustFile"),
          ProviderKey.value("certFile"),
          ProviderKey.value("keyFile"),
          ProviderKey.value("verifyHost"),
          ProviderKey.value("poolSize"),
          ProviderKey.value("connectTimeout"),
          ProviderKey.value("query"));

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration MIN_CONNECT_TIMEOUT = Duration.ofMillis(250);

  static SqlSettings of(ProviderSettings settings, SqlDriver driver) {
    List<ServerAddress> servers = ServerAddress.listOf(settings, driver.defaultPort());
    String database = settings.text("database");
    if (!database.matches("[\\w.-]+")) {
      throw settings.invalid("database", "a name of letters, digits, _, . and -", database);
    }
    Duration timeout =
        settings.duration("timeout", DEFAULT_TIMEOUT, Duration.ofMillis(10), Duration.ofHours(1));
    // Enough for a second server after the first one has not answered.
    Duration share = timeout.dividedBy(servers.size() + 1L);
    PemFiles files = PemFiles.of(settings, settings.flag("tls", false), "true");
    settings.secret("password"); // reports a missing file
    return new SqlSettings(
        servers,
        database,
        settings.text("username"),
        settings,
        files,
        settings.flag("verifyHost", true),
        settings.number("poolSize", 8, 1, 256),
        settings.duration(
            "connectTimeout",
            share.compareTo(MIN_CONNECT_TIMEOUT) < 0 ? MIN_CONNECT_TIMEOUT : share,
            MIN_CONNECT_TIMEOUT,
            Duration.ofMinutes(10)),
        timeout);
  }

  /**
   * Returns the password of the database user, reading its file again, because it can have changed.
   *
   * @throws IllegalArgumentException if the file cannot be read; the message begins with its key
   */
  String password() {
    String password = provider.secret("password");
    return password == null ? "" : password;
  }

  /** The time limit of a query in whole seconds, rounded up, as drivers count them. */
  int timeoutSeconds() {
    return seconds(timeout);
  }

  /** The time limit for opening a connection in whole seconds, rounded up. */
  int connectTimeoutSeconds() {
    return seconds(connectTimeout);
  }

  private static int seconds(Duration duration) {
    return (int) duration.plusMillis(999).toSeconds();
  }

  /** Logs a warning if connections to another host are not encrypted. */
  void warnIfPlain() {
    if (tls == null) {
      PlaintextWarning.warnIfRemote(provider, servers);
    }
  }

  /** Omits the password. */
  @Override
  public String toString() {
    return database + " at " + servers;
  }
}
