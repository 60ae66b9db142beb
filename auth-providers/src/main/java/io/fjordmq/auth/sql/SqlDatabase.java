package io.fjordmq.auth.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.auth.connection.BlockingCalls;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one query on a pool of connections, which are opened when they are needed. JDBC blocks, so
 * there is a thread for each connection. Thread-safe; its methods do not block.
 */
final class SqlDatabase implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SqlDatabase.class);

  private final SqlSettings settings;
  private final SqlQuery query;
  private final int maxRows;
  private final SqlFailures failures;
  private final ConnectionSource source;
  private final HikariDataSource pool;
  private final BlockingCalls calls;

  /**
   * @param maxRows a result with more rows is an error for the client
   */
  SqlDatabase(SqlDriver driver, SqlSettings settings, SqlQuery query, int maxRows) {
    this.settings = settings;
    this.query = query;
    this.maxRows = maxRows;
    this.failures = new SqlFailures(driver.displayName());
    this.source = new ConnectionSource(driver, settings);
    String name = "auth-" + settings.database();
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setDataSource(source);
    config.setMaximumPoolSize(settings.poolSize());
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1); // a database that is down must not prevent the startup
    config.setConnectionTimeout(settings.connectTimeout().toMillis() * settings.servers().size());
    config.setValidationTimeout(settings.connectTimeout().toMillis());
    this.pool = new HikariDataSource(config);
    this.calls = new BlockingCalls(name, settings.poolSize());
  }

  /** Logs a warning if the database cannot be reached or does not accept the query. */
  void checkInBackground() {
    CompletableFuture<Boolean> unused =
        calls.submit(
            () -> {
              try (Connection connection = connection();
                  PreparedStatement statement = connection.prepareStatement(query.sql())) {
                statement.getMetaData(); // makes the server parse the query
              } catch (SQLException e) {
                throw failures.querying(e, List.of());
              }
              return true;
            });
    unused.whenComplete(
        (done, error) -> {
          if (error != null && !pool.isClosed()) {
            LOG.warn(
                "Database check failed at startup; logins will retry: {} key={}.query"
                    + " database={}",
                error.getMessage(),
                settings.provider().path(),
                settings);
          }
        });
  }

  /**
   * Runs the query.
   *
   * @param values the values of the parameters
   * @return all rows; fails with a {@link ProviderException}
   */
  CompletableFuture<List<SqlRow>> rows(List<@Nullable String> values) {
    return calls.submit(() -> read(values));
  }

  private List<SqlRow> read(List<@Nullable String> values) throws ProviderException {
    List<SqlRow> found = new ArrayList<>();
    try (Connection connection = connection();
        PreparedStatement statement = connection.prepareStatement(query.sql())) {
      statement.setMaxRows(maxRows + 1);
      statement.setQueryTimeout(settings.timeoutSeconds());
      for (int i = 0; i < values.size(); i++) {
        String value = values.get(i);
        if (value == null) {
          statement.setNull(i + 1, Types.VARCHAR);
        } else {
          statement.setString(i + 1, value);
        }
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(SqlRow.of(rows));
        }
      }
    } catch (SQLException e) {
      if (SqlFailures.isLost(e)) {
        pool.getHikariPoolMXBean().softEvictConnections(); // a restart has ended all of them
      }
      throw failures.querying(e, values);
    }
    if (found.size() > maxRows) {
      throw ProviderException.aboutClient(
          "the query returned more than "
              + maxRows
              + (maxRows == 1 ? " row" : " rows")
              + " for this client",
          null);
    }
    return found;
  }

  private Connection connection() throws ProviderException {
    try {
      return pool.getConnection();
    } catch (SQLException e) {
      throw failures.connecting(e, source.lastFailure());
    }
  }

  /** Closes the pool in a thread of its own, because it waits for a connection that is opening. */
  @Override
  public void close() {
    calls.close();
    Thread closing = new Thread(pool::close, pool.getPoolName() + "-close");
    closing.setDaemon(true);
    closing.start();
  }
}
