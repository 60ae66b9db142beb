package io.fjordmq.perf.users;

import io.fjordmq.perf.machine.ServiceUsage;
import io.fjordmq.perf.machine.UnprivilegedDirectory;
import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A MariaDB server on this host with the users and rules in the tables of EMQX. */
final class MysqlUsers implements UserService {
  private static final Path SERVER = Path.of("/usr/sbin/mariadbd");
  private static final Path INSTALLER = Path.of("/usr/bin/mariadb-install-db");
  private static final Path CLIENT = Path.of("/usr/bin/mariadb");
  private static final String ADMIN = "admin";

  private static final String SETUP =
      """
      CREATE DATABASE mqtt CHARACTER SET utf8mb4;
      CREATE USER 'admin'@'127.0.0.1' IDENTIFIED BY 'admin';
      GRANT ALL ON *.* TO 'admin'@'127.0.0.1';
      CREATE USER 'fjordmq'@'127.0.0.1' IDENTIFIED BY 'fjordmq';
      GRANT SELECT ON mqtt.* TO 'fjordmq'@'127.0.0.1';
      """;

  private static final String TABLES =
      """
      CREATE TABLE mqtt_user (
        id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
        username varchar(100) DEFAULT NULL UNIQUE,
        password_hash varchar(100) DEFAULT NULL,
        salt varchar(35) DEFAULT NULL,
        is_superuser tinyint(1) DEFAULT 0,
        created datetime DEFAULT NULL
      ) DEFAULT CHARSET=utf8mb4;
      CREATE TABLE mqtt_acl (
        id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
        ipaddress varchar(60) NOT NULL DEFAULT '',
        username varchar(255) NOT NULL DEFAULT '',
        clientid varchar(255) NOT NULL DEFAULT '',
        action enum('publish', 'subscribe', 'all') NOT NULL,
        permission enum('allow', 'deny') NOT NULL,
        topic varchar(255) NOT NULL DEFAULT '',
        qos tinyint(1),
        retain tinyint(1),
        INDEX (username)
      ) DEFAULT CHARSET=utf8mb4;
      """;

  /** The SELECT statements of the broker. */
  private static final String CALLS =
      "SELECT coalesce(sum(select_commands), 0) FROM information_schema.user_statistics"
          + " WHERE user = 'fjordmq';";

  private final ServerProcess server;
  private final int port;

  private MysqlUsers(ServerProcess server, int port) {
    this.server = server;
    this.port = port;
  }

  static boolean isInstalled() {
    return Files.isExecutable(SERVER)
        && Files.isExecutable(INSTALLER)
        && Files.isExecutable(CLIENT);
  }

  static MysqlUsers start(Iterable<UserAccount> accounts) throws IOException, InterruptedException {
    int port = FreePorts.one();
    UnprivilegedDirectory folder = UnprivilegedDirectory.make();
    MysqlUsers users;
    try {
      users = new MysqlUsers(launch(folder, port), port);
    } catch (IOException | InterruptedException | RuntimeException e) {
      folder.close();
      throw e;
    }
    try {
      users.query(List.of(TABLES));
      users.query(new SqlAccounts(accounts));
      return users;
    } catch (IOException | InterruptedException | RuntimeException e) {
      users.close();
      throw e;
    }
  }

  private static ServerProcess launch(UnprivilegedDirectory folder, int port)
      throws IOException, InterruptedException {
    Path data = folder.path().resolve("data");
    ServerProcess.run(
        folder,
        List.of(
            INSTALLER.toString(),
            "--no-defaults",
            "--datadir=" + data,
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve"));
    Path setup = Files.writeString(folder.path().resolve("setup.sql"), SETUP);
    return ServerProcess.start(
        folder,
        port,
        List.of(
            SERVER.toString(),
            "--no-defaults",
            "--datadir=" + data,
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=" + folder.path().resolve("socket"),
            "--pid-file=" + folder.path().resolve("pid"),
            "--skip-name-resolve",
            "--innodb-flush-log-at-trx-commit=2",
            "--userstat=1",
            "--init-file=" + setup));
  }

  private String query(Iterable<String> statements) throws IOException, InterruptedException {
    return ServerProcess.client(
        List.of(
            CLIENT.toString(),
            "--no-defaults",
            "--host=127.0.0.1",
            "--port=" + port,
            "--user=" + ADMIN,
            "--database=mqtt",
            "--init-command=SET sql_mode='NO_BACKSLASH_ESCAPES'",
            "--batch",
            "--skip-column-names"),
        Map.of("MYSQL_PWD", ADMIN),
        statements);
  }

  @Override
  public String configuration() {
    return SqlAccounts.configuration("mysql", port);
  }

  @Override
  public Optional<ServiceUsage> usage() {
    try {
      long calls = Long.parseLong(query(List.of(CALLS)));
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
