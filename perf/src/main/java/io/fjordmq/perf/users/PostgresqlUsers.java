package io.fjordmq.perf.users;

import io.fjordmq.perf.machine.ServiceUsage;
import io.fjordmq.perf.machine.UnprivilegedDirectory;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** A PostgreSQL server on this host with the users and rules in the tables of EMQX. */
final class PostgresqlUsers implements UserService {
  private static final Path VERSIONS = Path.of("/usr/lib/postgresql");
  private static final Path CLIENT = Path.of("/usr/bin/psql");
  private static final String ADMIN = "admin";

  private static final String TABLES =
      """
      CREATE EXTENSION pg_stat_statements;
      CREATE TABLE mqtt_user (
        id serial PRIMARY KEY,
        username text NOT NULL UNIQUE,
        password_hash text NOT NULL,
        salt text NOT NULL,
        is_superuser boolean DEFAULT false,
        created timestamp with time zone DEFAULT now());
      CREATE TABLE mqtt_acl (
        id serial PRIMARY KEY,
        username text NOT NULL,
        permission text NOT NULL,
        action text NOT NULL,
        topic text NOT NULL,
        qos smallint,
        retain smallint);
      CREATE INDEX mqtt_acl_username_idx ON mqtt_acl(username);
      CREATE USER fjordmq PASSWORD 'fjordmq';
      GRANT SELECT ON mqtt_user, mqtt_acl TO fjordmq;
      """;

  /** The queries of the broker that read users or rules. */
  private static final String CALLS =
      """
      SELECT coalesce(sum(s.calls), 0) FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
      WHERE r.rolname = 'fjordmq' AND s.query ~ 'mqtt_(user|acl)'
      """;

  private final ServerProcess server;
  private final int port;

  private PostgresqlUsers(ServerProcess server, int port) {
    this.server = server;
    this.port = port;
  }

  static boolean isInstalled() {
    return Files.isExecutable(programs().resolve("postgres")) && Files.isExecutable(CLIENT);
  }

  /** Returns the folder of the newest installed version. */
  private static Path programs() {
    if (!Files.isDirectory(VERSIONS)) {
      return VERSIONS;
    }
    try (Stream<Path> versions = Files.list(VERSIONS)) {
      return versions.sorted().reduce((first, second) -> second).orElse(VERSIONS).resolve("bin");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static PostgresqlUsers start(Iterable<UserAccount> accounts)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    UnprivilegedDirectory folder = UnprivilegedDirectory.make();
    PostgresqlUsers users;
    try {
      users = new PostgresqlUsers(launch(folder, port), port);
    } catch (IOException | InterruptedException | RuntimeException e) {
      folder.close();
      throw e;
    }
    try {
      Await.until("PostgreSQL has started", users::isReady);
      users.query("postgres", List.of("CREATE DATABASE mqtt;"));
      users.query("mqtt", List.of(TABLES));
      users.query("mqtt", new SqlAccounts(accounts));
      users.query("mqtt", List.of("VACUUM ANALYZE;"));
      return users;
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      users.close();
      throw e;
    }
  }

  private static ServerProcess launch(UnprivilegedDirectory folder, int port)
      throws IOException, InterruptedException {
    Path data = folder.path().resolve("data");
    Path password = Files.writeString(folder.path().resolve("password"), ADMIN);
    ServerProcess.run(
        folder,
        List.of(
            programs().resolve("initdb").toString(),
            "--pgdata=" + data,
            "--username=" + ADMIN,
            "--pwfile=" + password,
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync"));
    Files.writeString(
        data.resolve("postgresql.auto.conf"),
        """
        port = %d
        listen_addresses = '127.0.0.1'
        unix_socket_directories = ''
        fsync = off
        autovacuum = off
        shared_preload_libraries = 'pg_stat_statements'
        """
            .formatted(port));
    return ServerProcess.start(
        folder, port, List.of(programs().resolve("postgres").toString(), "-D", data.toString()));
  }

  /** It refuses connections for a while after it listens. */
  private boolean isReady() {
    try {
      query("postgres", List.of("SELECT 1;"));
      return true;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  private String query(String database, Iterable<String> statements)
      throws IOException, InterruptedException {
    return ServerProcess.client(
        List.of(
            CLIENT.toString(),
            "--host=127.0.0.1",
            "--port=" + port,
            "--username=" + ADMIN,
            "--no-password",
            "--dbname=" + database,
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--set=ON_ERROR_STOP=1"),
        Map.of("PGPASSWORD", ADMIN),
        statements);
  }

  @Override
  public String configuration() {
    return SqlAccounts.configuration("postgresql", port);
  }

  @Override
  public Optional<ServiceUsage> usage() {
    try {
      long calls = Long.parseLong(query("mqtt", List.of(CALLS + ";")));
      return Optional.of(new ServiceUsage(1, calls, OptionalLong.of(server.cpuMicros())));
    } catch (IOException e) {
      return Optional.empty(); // the server is down
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
