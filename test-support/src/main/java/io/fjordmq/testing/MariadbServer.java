package io.fjordmq.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A MariaDB server on this host with the administrator {@link #ADMIN} and the empty database {@code
 * mqtt}.
 *
 * @param process the process of the server
 */
public record MariadbServer(LocalServer process) implements AutoCloseable {
  /** Name and password of the administrator. */
  public static final String ADMIN = "admin";

  private static final Path SERVER = Path.of("/usr/sbin/mariadbd");
  private static final Path INSTALLER = Path.of("/usr/bin/mariadb-install-db");
  private static final Path CLIENT = Path.of("/usr/bin/mariadb");
  private static final String SETUP =
      """
      CREATE DATABASE IF NOT EXISTS mqtt CHARACTER SET utf8mb4;
      CREATE USER IF NOT EXISTS 'admin'@'127.0.0.1' IDENTIFIED BY 'admin';
      GRANT ALL ON *.* TO 'admin'@'127.0.0.1' WITH GRANT OPTION;
      """;

  /** Returns whether the server and its client are installed. */
  public static boolean isInstalled() {
    return Files.isExecutable(SERVER)
        && Files.isExecutable(INSTALLER)
        && Files.isExecutable(CLIENT);
  }

  /**
   * Starts a server on a free port. Blocks until it accepts connections.
   *
   * @param folder a directory for its files, which then belong to the user of the server
   * @param setup statements, one per line, that it executes at each start
   * @param options further options of the command line
   */
  public static MariadbServer start(Path folder, String setup, List<String> options)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    Path data = folder.resolve("data");
    LocalServer.run(
        folder,
        List.of(
            INSTALLER.toString(),
            "--no-defaults",
            "--datadir=" + data,
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve"));
    Path statements = Files.writeString(folder.resolve("setup.sql"), SETUP + setup);
    List<String> command =
        new ArrayList<>(
            List.of(
                SERVER.toString(),
                "--no-defaults",
                "--datadir=" + data,
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + folder.resolve("socket"),
                "--pid-file=" + folder.resolve("pid"),
                "--skip-name-resolve",
                "--innodb-flush-log-at-trx-commit=2", // commits survive SIGKILL
                "--init-file=" + statements));
    command.addAll(options);
    return new MariadbServer(LocalServer.start(folder, port, command));
  }

  /**
   * Executes statements in the database {@code mqtt} as the administrator. Backslashes in strings
   * have no special meaning. Blocks.
   *
   * @return the rows, one per line
   */
  public String query(Iterable<String> statements) throws IOException, InterruptedException {
    return LocalServer.client(
        List.of(
            CLIENT.toString(),
            "--no-defaults",
            "--host=127.0.0.1",
            "--port=" + process.port(),
            "--user=" + ADMIN,
            "--database=mqtt",
            "--init-command=SET sql_mode='NO_BACKSLASH_ESCAPES'",
            "--batch",
            "--skip-column-names"),
        Map.of("MYSQL_PWD", ADMIN),
        statements);
  }

  @Override
  public void close() {
    process.close();
  }
}
