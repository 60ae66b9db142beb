package io.fjordmq.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A PostgreSQL server on this host with the administrator {@link #ADMIN} and the empty database
 * {@code mqtt}. It does not wait for the disk.
 *
 * @param process the process of the server
 */
public record PostgresqlServer(LocalServer process) implements AutoCloseable {
  /** Name and password of the administrator. */
  public static final String ADMIN = "admin";

  private static final Path VERSIONS = Path.of("/usr/lib/postgresql");
  private static final Path CLIENT = Path.of("/usr/bin/psql");

  /** Returns whether the server and its client are installed. */
  public static boolean isInstalled() {
    return Files.isExecutable(programs().resolve("postgres")) && Files.isExecutable(CLIENT);
  }

  /** Returns the directory of the newest installed version. */
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

  /**
   * Starts a server on a free port. Blocks until it answers queries.
   *
   * @param folder a directory for its files, which then belong to the user of the server
   * @param access lines of pg_hba.conf in front of the others; may be empty
   * @param settings lines of postgresql.conf
   */
  public static PostgresqlServer start(Path folder, String access, List<String> settings)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    Path data = folder.resolve("data");
    Path password = Files.writeString(folder.resolve("password"), ADMIN);
    LocalServer.run(
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
    Path rules = data.resolve("pg_hba.conf");
    Files.writeString(
        rules, access + Files.readString(rules)); // the first line that matches counts
    List<String> lines =
        new ArrayList<>(
            List.of(
                "port = " + port,
                "listen_addresses = '127.0.0.1'",
                "unix_socket_directories = ''",
                "fsync = off"));
    lines.addAll(settings);
    Files.write(data.resolve("postgresql.auto.conf"), lines);
    List<String> command =
        List.of(programs().resolve("postgres").toString(), "-D", data.toString());
    PostgresqlServer server = new PostgresqlServer(LocalServer.start(folder, port, command));
    try {
      Await.until("PostgreSQL answers queries", server::isReady);
      server.query("postgres", List.of("CREATE DATABASE mqtt;"));
      return server;
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      server.close();
      throw e;
    }
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

  /**
   * Executes statements as the administrator. Blocks.
   *
   * @return the rows, one per line
   */
  public String query(String database, Iterable<String> statements)
      throws IOException, InterruptedException {
    return LocalServer.client(
        List.of(
            CLIENT.toString(),
            "--host=127.0.0.1",
            "--port=" + process.port(),
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

  /** Ends the server and the connections of its clients. Blocks until it has ended. */
  @Override
  public void close() {
    try {
      process.signal("INT");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.close();
  }
}
