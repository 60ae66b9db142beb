package io.fjordmq.auth.sql;

import io.fjordmq.auth.Installed;
import io.fjordmq.auth.TestCertificates;
import io.fjordmq.testing.LocalServer;
import io.fjordmq.testing.PostgresqlServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL. */
record PostgresTestServer(PostgresqlServer server) implements SqlServer {
  static PostgresTestServer start(Path parent, TestCertificates certificates) throws Exception {
    Installed.assume(PostgresqlServer.isInstalled(), "postgresql");
    Path folder = LocalServer.folder(parent, "postgresql");
    TestCertificates copies = certificates.copyTo(folder);
    PostgresTestServer server =
        new PostgresTestServer(
            PostgresqlServer.start(
                folder,
                "hostssl all certificate 127.0.0.1/32 cert\n",
                List.of(
                    "ssl = on",
                    "ssl_ca_file = '" + copies.trust() + "'",
                    "ssl_cert_file = '" + copies.serverCert() + "'",
                    "ssl_key_file = '" + copies.serverKey() + "'")));
    server.execute(
        "CREATE USER broker PASSWORD '" + PASSWORD + "'",
        "CREATE USER certificate",
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO broker, certificate");
    return server;
  }

  @Override
  public String type() {
    return "postgresql";
  }

  @Override
  public LocalServer process() {
    return server.process();
  }

  @Override
  public Connection connect() throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(new String[] {"127.0.0.1"});
    source.setPortNumbers(new int[] {process().port()});
    source.setDatabaseName("mqtt");
    return source.getConnection(PostgresqlServer.ADMIN, PostgresqlServer.ADMIN);
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
    process().stop("QUIT"); // ends all processes of the server at once, without a checkpoint
  }

  @Override
  public String sleep(int seconds) {
    return "pg_sleep(" + seconds + ")::text";
  }

  @Override
  public void close() {
    server.close();
  }
}
