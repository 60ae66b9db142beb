package io.fjordmq.auth.sql;

import io.fjordmq.auth.connection.ServerAddress;
import io.fjordmq.auth.tls.PemFiles;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.mariadb.jdbc.Driver;

/** MariaDB and MySQL, with the driver of MariaDB. */
final class MariadbDriver implements SqlDriver {
  private static final int PORT = 3306;

  @Override
  public int defaultPort() {
    return PORT;
  }

  @Override
  public String displayName() {
    return "MySQL";
  }

  @Override
  public Connection connect(SqlSettings settings, String password) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", settings.username());
    properties.setProperty("password", password);
    properties.setProperty("connectTimeout", millis(settings.connectTimeout().toMillis()));
    // The server stops a query first, so that the connection can be used again.
    properties.setProperty("socketTimeout", millis(settings.timeout().toMillis() + 1_000));
    // The server inserts the parameters, not the driver.
    properties.setProperty("useServerPrepStmts", "true");
    properties.setProperty("tinyInt1isBit", "false"); // EMQX stores a QoS of 2 in such a column
    // A server must neither read files of this host nor send the driver elsewhere.
    properties.setProperty("allowLocalInfile", "false");
    properties.setProperty("permitRedirect", "false");
    PemFiles tls = settings.tls();
    if (tls == null) {
      properties.setProperty("sslMode", "disable");
    } else {
      properties.setProperty("sslMode", settings.verifyHost() ? "verify-full" : "verify-ca");
      properties.setProperty("tlsSocketType", MariadbTls.TYPE);
      properties.setProperty(MariadbTls.FILES, tls.text());
    }
    // With several servers in its URL, the driver avoids servers for a minute after a failure, for
    // all connections of the process.
    SQLException failure = null;
    for (ServerAddress server : settings.servers()) {
      try {
        return connect(server, settings.database(), properties);
      } catch (SQLException e) {
        if (failure != null) {
          e.addSuppressed(failure);
        }
        failure = e;
      }
    }
    throw failure == null ? new SQLException("no servers are configured") : failure;
  }

  private static Connection connect(ServerAddress server, String database, Properties properties)
      throws SQLException {
    String url =
        "jdbc:mariadb://address=(host="
            + server.host()
            + ")(port="
            + server.port()
            + ")/"
            + database;
    Connection connection = new Driver().connect(url, properties);
    if (connection == null) {
      throw new SQLException("the MariaDB driver rejected the URL " + url);
    }
    return connection;
  }

  private static String millis(long millis) {
    return Long.toString(Math.min(millis, Integer.MAX_VALUE));
  }
}
