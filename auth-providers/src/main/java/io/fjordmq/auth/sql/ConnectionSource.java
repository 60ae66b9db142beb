package io.fjordmq.auth.sql;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections of the pool, with the current password, and remembers why the last attempt
 * failed, which the pool tells only one of those who wait. Thread-safe.
 */
final class ConnectionSource implements DataSource {
  private final SqlDriver driver;
  private final SqlSettings settings;
  private volatile @Nullable SQLException lastFailure;

  ConnectionSource(SqlDriver driver, SqlSettings settings) {
    this.driver = driver;
    this.settings = settings;
  }

  @Override
  public Connection getConnection() throws SQLException {
    try {
      Connection connection = driver.connect(settings, settings.password());
      lastFailure = null;
      return connection;
    } catch (SQLException e) {
      lastFailure = e;
      throw e;
    } catch (RuntimeException e) {
      // For example a file of TLS or of the password that cannot be read.
      SQLException failure = new SQLException(e.getMessage(), e);
      lastFailure = failure;
      throw failure;
    }
  }

  /** Why the last attempt to connect failed; null if it succeeded. */
  @Nullable SQLException lastFailure() {
    return lastFailure;
  }

  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException(
        "getConnection(username, password) is not supported: the configuration sets the user");
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) {}

  /** The drivers have time limits of their own. */
  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return settings.connectTimeoutSeconds();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("not used");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("not a wrapper for " + type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
