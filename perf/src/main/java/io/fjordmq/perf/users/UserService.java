package io.fjordmq.perf.users;

import io.fjordmq.perf.machine.ServiceUsage;
import io.fjordmq.perf.scenario.UsageException;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Knows the users of a broker under load, for as long as it is open. */
public interface UserService extends AutoCloseable {
  /** Time after which cached answers expire, in settings that cache. Longer than any benchmark. */
  String CACHE_TIME = "12 h";

  /**
   * Makes the accounts available in a store other than {@link UserStore#NONE}. Blocks.
   *
   * @param directory directory for files
   * @param accounts iterated once, or again after each restart
   * @throws UsageException if the server of the store is not installed
   */
  static UserService open(UserStore store, Path directory, Iterable<UserAccount> accounts)
      throws IOException, InterruptedException {
    missingPackage(store)
        .ifPresent(
            name -> {
              throw new UsageException("users in " + store + " need " + name + "; install it");
            });
    return switch (store) {
      case NONE -> throw new IllegalArgumentException("anonymous clients have no users");
      case FILES -> UserFiles.write(directory, accounts);
      case REDIS -> RedisUsers.start(accounts);
      case HTTP -> HttpUsers.start(accounts);
      case JWT -> TokenUsers.write(directory);
      case POSTGRESQL -> PostgresqlUsers.start(accounts);
      case MYSQL -> MysqlUsers.start(accounts);
      case LDAP -> LdapUsers.start(accounts);
      case DATABASE, SCRAM -> DatabaseUsers.write(directory, accounts, store == UserStore.SCRAM);
    };
  }

  /** Returns the Debian package that a store needs and that is not installed; empty if none. */
  static Optional<String> missingPackage(UserStore store) {
    return switch (store) {
      case NONE, FILES, HTTP, JWT, DATABASE, SCRAM -> Optional.empty();
      case REDIS -> RedisServer.isInstalled() ? Optional.empty() : Optional.of("redis-server");
      case POSTGRESQL ->
          PostgresqlUsers.isInstalled() ? Optional.empty() : Optional.of("postgresql");
      case MYSQL -> MysqlUsers.isInstalled() ? Optional.empty() : Optional.of("mariadb-server");
      case LDAP -> LdapUsers.isInstalled() ? Optional.empty() : Optional.of("slapd and ldap-utils");
    };
  }

  /**
   * Returns settings of FjordMQ nodes, as YAML, in addition to {@link #configuration}, that make
   * them cache all answers about users, or none. If the store is not cacheable, there are none.
   *
   * @param cacheSize number of answers to cache; 0 for none
   */
  static String cacheSettings(UserStore store, int cacheSize) {
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

  /**
   * Returns the configuration of FjordMQ nodes that use it, as YAML. It also admits anonymous
   * clients from this host, without permissions, because the tool checks whether a node accepts
   * one.
   */
  String configuration();

  /**
   * Returns the lines of mosquitto.conf.
   *
   * @throws UsageException if mosquitto cannot use it
   */
  default String mosquittoConfiguration() {
    throw new UsageException("mosquitto can read users from files only");
  }

  /**
   * Called when all nodes of a broker serve clients, for users that the nodes store themselves.
   * Blocks.
   *
   * @param checkout checkout of the nodes
   * @param node directory of one of the nodes
   */
  default void fill(Path checkout, Path node) throws IOException, InterruptedException {}

  /** Returns what it has done so far; empty if this cannot be observed. Blocks. */
  default Optional<ServiceUsage> usage() {
    return Optional.empty();
  }

  /** Stops its processes and deletes its own temporary files. */
  @Override
  void close();
}
