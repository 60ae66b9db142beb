package io.fjordmq.perf.users;

import io.fjordmq.perf.ConnectSettings.Credentials;
import io.fjordmq.perf.ScramLogin;
import io.fjordmq.perf.scenario.UsageException;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.testing.MariadbServer;
import io.fjordmq.testing.PostgresqlServer;
import io.fjordmq.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The services for each user store. */
public final class UserServices {
  /** Time after which cached results expire, in settings that cache. Longer than any benchmark. */
  private static final String CACHE_TIME = "12 h";

  private UserServices() {}

  /**
   * Makes the accounts available in a store other than {@link UserStore#NONE}. Blocks.
   *
   * @param directory directory for files
   * @param accounts iterated once, or again after each restart
   * @throws UsageException if the server of the store is not installed
   */
  public static UserService open(UserStore store, Path directory, Iterable<UserAccount> accounts)
      throws IOException, InterruptedException {
    Optional<String> missing = missingPackage(store);
    if (missing.isPresent()) {
      throw new UsageException("users in " + store + " need " + missing.get() + "; install it");
    }
    return switch (store) {
      case NONE -> throw new IllegalArgumentException("anonymous clients have no users");
      case FILES -> UserFiles.write(directory, accounts);
      case REDIS -> ServerUsers.start(RedisUsers::start, accounts);
      case HTTP -> HttpUsers.start(accounts);
      case JWT -> TokenUsers.write(directory);
      case POSTGRESQL -> ServerUsers.start(PostgresqlUsers::start, accounts);
      case MYSQL -> ServerUsers.start(MysqlUsers::start, accounts);
      case LDAP -> ServerUsers.start(LdapUsers::start, accounts);
      case DATABASE, SCRAM -> DatabaseUsers.write(directory, accounts, store == UserStore.SCRAM);
    };
  }

  /** Returns the Debian package that a store needs and that is not installed; empty if none. */
  public static Optional<String> missingPackage(UserStore store) {
    return switch (store) {
      case NONE, FILES, HTTP, JWT, DATABASE, SCRAM -> Optional.empty();
      case REDIS -> RedisServer.isInstalled() ? Optional.empty() : Optional.of("redis-server");
      case POSTGRESQL ->
          PostgresqlServer.isInstalled() ? Optional.empty() : Optional.of("postgresql");
      case MYSQL -> MariadbServer.isInstalled() ? Optional.empty() : Optional.of("mariadb-server");
      case LDAP -> LdapUsers.isInstalled() ? Optional.empty() : Optional.of("slapd and ldap-utils");
    };
  }

  /**
   * Returns settings of FjordMQ nodes, as YAML, in addition to {@link UserService#configuration},
   * that make them cache all results for users, or none. If the store is not cacheable, there are
   * none.
   *
   * @param cacheSize number of results to cache; 0 for none
   */
  public static String cacheSettings(UserStore store, int cacheSize) {
    String provider =
        cacheSize == 0
            ? "{cacheTime: 0 s}"
            : "{cacheTime: %s, cacheSize: %d}".formatted(CACHE_TIME, cacheSize);
    return switch (store) {
      case NONE, JWT, SCRAM -> "";
      case FILES, DATABASE -> "securityConfig: {loginCacheSize: " + cacheSize + "}";
      case REDIS, HTTP, POSTGRESQL, MYSQL, LDAP ->
          "securityConfig: {authentication: [%s], authorization: [%s]}"
              .formatted(provider, provider);
    };
  }

  /** Returns what the client of a user sends if the broker finds users in the given store. */
  public static @Nullable Credentials credentials(UserAccount account, UserStore store) {
    String name = account.name();
    String password = account.password();
    return switch (store) {
      case NONE -> null;
      case FILES, REDIS, HTTP, POSTGRESQL, MYSQL, LDAP, DATABASE -> new Credentials(name, password);
      case SCRAM -> new Credentials(name, password, new ScramLogin(name, password));
      case JWT -> new Credentials(name, TokenUsers.token(account));
    };
  }
}
