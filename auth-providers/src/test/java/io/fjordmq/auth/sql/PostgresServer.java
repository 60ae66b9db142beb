package io.fjordmq.auth.sql;

import io.fjordmq.auth.LocalServer;
import io.fjordmq.auth.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL. */
record PostgresServer(LocalServer process) implements SqlServer {
  private static final Path VERSIONS = Path.of("/usr/lib/postgresql");

  static PostgresServer start(Path parent, TestCertificates certificates) throws Exception {
    Path programs = programs();
    LocalServer.assumeInstalled(programs.resolve("postgres"), "postgresql");
    int port = LocalServer.freePort();
    Path folder = LocalServer.folder(parent, "postgresql");
    TestCertificates copies = certificates.copyTo(folder);
    Files.writeString(folder.resolve("password"), "admin");
    Path data = folder.resolve("data");
    LocalServer.run(
        folder,
        List.of(
            programs.resolve("initdb").toString(),
            "--pgdata=" + data,
            "--username=admin",
            "--pwfile=" + folder.resolve("password"),
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync"));
    // The first line that matches counts.
    Path access = data.resolve("pg_hba.conf");
    Files.writeString(
        access, "hostssl all certificate 127.0.0.1/32 cert\n" + Files.readString(access));
    LocalServer process =
        LocalServer.start(
            folder,
            port,
            List.of(
                programs.resolve("postgres").toString(),
                "-D",
                data.toString(),
                "-p",
                Integer.toString(port),
                "-h",
                "127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "fsync=off",
                "-c",
                "ssl=on",
                "-c",
                "ssl_ca_file=" + copies.trust(),
                "-c",
                "ssl_cert_file=" + copies.serverCert(),
                "-c",
                "ssl_key_file=" + copies.serverKey()));
    PostgresServer server = new PostgresServer(process);
    try (Connection connection = server.connect("postgres");
        var statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE mqtt");
    }
    server.execute(
        "CREATE USER broker PASSWORD '" + PASSWORD + "'",
        "CREATE USER certificate",
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO broker, certificate");
    return server;
  }

  private static Path programs() throws Exception {
    if (!Files.isDirectory(VERSIONS)) {
      return VERSIONS;
    }
    try (Stream<Path> versions = Files.list(VERSIONS)) {
      return versions.sorted().reduce((first, second) -> second).orElse(VERSIONS).resolve("bin");
    }
  }

  @Override
  public String type() {
    return "postgresql";
  }

  private Connection connect(String database) throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(new String[] {"127.0.0.1"});
    source.setPortNumbers(new int[] {process.port()});
    source.setDatabaseName(database);
    return source.getConnection("admin", "admin");
  }

  @Override
  public Connection connect() throws SQLException {
    return connect("mqtt");
  }

  @Override
  public void createEmqxTables() throws SQLException {
    execute(
        "DROP TABLE IF EXISTS mqtt_user",
        "DROP TABLE IF EXISTS mqtt_acl",
        "DROP TYPE IF EXISTS ACTION",
        "DROP TYPE IF EXISTS PERMISSION",
        """
        CREATE TABLE mqtt_user (
          id serial PRIMARY KEY,
          username text NOT NULL UNIQUE,
          password_hash text NOT NULL,
          salt text NOT NULL,
          is_superuser boolean DEFAULT false,
          created timestamp with time zone DEFAULT NOW())
        """,
        "CREATE TYPE ACTION AS ENUM('publish','subscribe','all')",
        "CREATE TYPE PERMISSION AS ENUM('allow','deny')",
        """
        CREATE TABLE mqtt_acl (
          id SERIAL PRIMARY KEY,
          ipaddress CHARACTER VARYING(60) NOT NULL DEFAULT '',
          username CHARACTER VARYING(255) NOT NULL DEFAULT '',
          clientid CHARACTER VARYING(255) NOT NULL DEFAULT '',
          action ACTION,
          permission PERMISSION,
          topic CHARACTER VARYING(255) NOT NULL,
          qos smallint,
          retain smallint)
        """);
  }

  @Override
  public void changePassword(String password) throws SQLException {
    execute(
        "ALTER USER broker PASSWORD '" + password + "'",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'broker'");
  }

  @Override
  public void kill() throws Exception {
    process.stop("QUIT"); // ends all processes of the server at once, without a checkpoint
  }

  @Override
  public String sleep(int seconds) {
    return "pg_sleep(" + seconds + ")::text";
  }
}
