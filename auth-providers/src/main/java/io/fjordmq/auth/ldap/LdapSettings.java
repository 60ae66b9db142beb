package io.fjordmq.auth.ldap;

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
 * @param tls how TLS is used
 * @param files the files for TLS; null without TLS
 * @param verifyHost whether the certificate must contain the name of the server
 * @param username the distinguished name of the account that searches; empty to search anonymously
 * @param provider the settings of the provider, with the password of that account
 * @param poolSize maximum number of connections for searches, and of those for logins
 * @param connectTimeout time limit for opening a connection to one server
 * @param timeout time limit for an operation
 */
record LdapSettings(
    List<ServerAddress> servers,
    Tls tls,
    @Nullable PemFiles files,
    boolean verifyHost,
    String username,
    ProviderSettings provider,
    int poolSize,
    Duration connectTimeout,
    Duration timeout) {

  /** How TLS is used. */
  enum Tls {
    NONE,
    /** From the beginning of a connection, as with URLs that begin with {@code ldaps}. */
    FROM_START,
    /** The connection is encrypted before anything else is sent. */
    START_TLS
  }

  static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.value("servers"),
          ProviderKey.value("username"),
          ProviderKey.secret("password"),
          ProviderKey.value("passwordFile"),
          ProviderKey.value("tls"),
          ProviderKey.value("trustFile"),
          ProviderKey.value("certFile"),
          ProviderKey.value("keyFile"),
          ProviderKey.value("verifyHost"),
          ProviderKey.value("poolSize"),
          ProviderKey.value("connectTimeout"));

  private static final int PORT = 389;
  private static final int TLS_PORT = 636;
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration MIN_CONNECT_TIMEOUT = Duration.ofMillis(10);

  static LdapSettings of(ProviderSettings settings) {
    Tls tls =
        switch (settings.oneOf("tls", "false", "true", "startTls")) {
          case "true" -> Tls.FROM_START;
          case "startTls" -> Tls.START_TLS;
          default -> Tls.NONE;
        };
    List<ServerAddress> servers =
        ServerAddress.listOf(settings, tls == Tls.FROM_START ? TLS_PORT : PORT);
    PemFiles files = PemFiles.of(settings, tls != Tls.NONE, "true or startTls");
    String username = settings.text("username", "");
    if (!username.isEmpty()) {
      DnTemplate.requireDn(settings, "username", username);
    }
    if (username.isEmpty() != (settings.secret("password") == null)) {
      throw new IllegalArgumentException(
          settings.path() + ".username and password or passwordFile must be set together");
    }
    Duration timeout =
        settings.duration("timeout", DEFAULT_TIMEOUT, Duration.ofMillis(10), Duration.ofHours(1));
    // Enough for a second server after the first one has not answered.
    Duration share = timeout.dividedBy(servers.size() + 1L);
    return new LdapSettings(
        servers,
        tls,
        files,
        settings.flag("verifyHost", true),
        username,
        settings,
        settings.number("poolSize", 8, 1, 256),
        settings.duration(
            "connectTimeout",
            share.compareTo(MIN_CONNECT_TIMEOUT) < 0 ? MIN_CONNECT_TIMEOUT : share,
            MIN_CONNECT_TIMEOUT,
            Duration.ofMinutes(10)),
        timeout);
  }

  /**
   * Returns the password of the account that searches, reading its file again, because it can have
   * changed.
   *
   * @throws IllegalArgumentException if the file cannot be read; the message begins with its key
   */
  String password() {
    String password = provider.secret("password");
    return password == null ? "" : password;
  }

  /** Logs a warning if connections to another host are not encrypted. */
  void warnIfPlain() {
    if (tls == Tls.NONE) {
      PlaintextWarning.warnIfRemote(provider, servers);
    }
  }

  /** Omits the password. */
  @Override
  public String toString() {
    return "LDAP at " + servers;
  }
}
