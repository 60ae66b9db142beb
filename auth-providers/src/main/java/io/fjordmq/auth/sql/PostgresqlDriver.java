package io.fjordmq.auth.sql;

import io.fjordmq.auth.connection.ServerAddress;
import io.fjordmq.auth.tls.PemFiles;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL. */
final class PostgresqlDriver implements SqlDriver {
  private static final int PORT = 5432;

  @Override
  public int defaultPort() {
    return PORT;
  }

  @Override
  public String displayName() {
    return "PostgreSQL";
  }

  @Override
  public Connection connect(SqlSettings settings, String password) throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(
        settings.servers().stream().map(ServerAddress::host).toArray(String[]::new));
    source.setPortNumbers(settings.servers().stream().mapToInt(ServerAddress::port).toArray());
    source.setDatabaseName(settings.database());
    source.setUser(settings.username());
    source.setPassword(password);
    source.setApplicationName("fjordmq");
    source.setConnectTimeout(settings.connectTimeoutSeconds());
    source.setLoginTimeout(settings.connectTimeoutSeconds() * settings.servers().size());
    // The server stops a query first, so that the connection can be used again.
    source.setSocketTimeout(settings.timeoutSeconds() + 1);
    source.setTcpKeepAlive(true);
    source.setGssEncMode("disable");
    // Details of errors quote values, which can be passwords.
    source.setLogServerErrorDetail(false);
    // The server chooses the types of parameters, so columns need not be text.
    source.setStringType("unspecified");
    // Unnamed statements survive changes of the tables, and poolers that share connections.
    source.setPrepareThreshold(0);
    PemFiles tls = settings.tls();
    if (tls == null) {
      source.setSslMode("disable");
    } else {
      source.setSslMode(settings.verifyHost() ? "verify-full" : "verify-ca");
      source.setSslfactory(PostgresqlTls.class.getName());
      source.setSslfactoryarg(tls.text());
    }
    return source.getConnection();
  }
}
