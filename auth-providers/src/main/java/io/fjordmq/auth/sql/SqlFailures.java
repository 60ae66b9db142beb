package io.fjordmq.auth.sql;

import io.fjordmq.api.auth.ProviderException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts the exceptions of a driver.
 *
 * @param database the name of the database in messages
 */
record SqlFailures(String database) {
  /** The class of errors that are caused by values, such as text that is not a number. */
  private static final String DATA_EXCEPTION = "22";

  private static final String CONNECTION_EXCEPTION = "08";

  /** The server stops, has crashed, or is starting. */
  private static final Set<String> SERVER_ENDED = Set.of("57P01", "57P02", "57P03");

  /** MariaDB: collations or characters that cannot be compared. */
  private static final Set<Integer> TEXT_ERRORS = Set.of(1267, 1271, 1366, 3988);

  private static final Set<String> CANCELED = Set.of("57014", "70100");

  /**
   * Returns the failure to get a connection.
   *
   * @param lastFailure why the last attempt to connect failed; null if it has not ended
   */
  ProviderException connecting(SQLException error, @Nullable SQLException lastFailure) {
    return lastFailure == null
        ? new ProviderException(database + ": connection attempt timed out", false, error)
        : new ProviderException(
            database + ": cannot connect: " + firstLine(lastFailure), false, lastFailure);
  }

  /**
   * Returns the failure of a query. Queries only read, so they can be repeated if the connection
   * was lost.
   */
  ProviderException querying(SQLException error, List<@Nullable String> values) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (state.startsWith(DATA_EXCEPTION) || TEXT_ERRORS.contains(error.getErrorCode())) {
      // The message quotes the value, which can be a password.
      return ProviderException.aboutClient(
          database
              + ": the query cannot use the values of this client (SQLSTATE "
              + state
              + ", error "
              + error.getErrorCode()
              + ")",
          null);
    }
    if (CANCELED.contains(state)
        || error instanceof SQLTimeoutException
        || hasCause(error, SocketTimeoutException.class)) {
      return new ProviderException(database + ": query timed out", false, null);
    }
    String message = firstLine(error);
    boolean secret = values.stream().anyMatch(value -> value != null && contains(message, value));
    return new ProviderException(
        database + ": " + (secret ? "SQLSTATE " + state : message),
        isLost(error),
        secret ? null : error);
  }

  /** Whether the connection was lost, and with it probably all connections of the pool. */
  static boolean isLost(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    return (state.startsWith(CONNECTION_EXCEPTION) || SERVER_ENDED.contains(state))
        && !hasCause(error, SocketTimeoutException.class);
  }

  /** A short value occurs in messages by chance. */
  private static boolean contains(String message, String value) {
    return value.length() > 2 && message.contains(value);
  }

  private static boolean hasCause(Throwable error, Class<? extends Throwable> type) {
    Throwable cause = error;
    for (int i = 0; i < 10 && cause != null; i++) {
      if (type.isInstance(cause)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Further lines of a message repeat the statement or its position. */
  private static String firstLine(Throwable error) {
    String message = String.valueOf(error.getMessage());
    return message.lines().findFirst().orElse(error.toString()).strip();
  }
}
