package io.fjordmq.auth.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections with the JDBC driver of a database. */
interface SqlDriver {
  /** The port of servers without one. */
  int defaultPort();

  /** The name of the database in messages. */
  String displayName();

  /**
   * Connects to the first server that responds. Blocks for at most the time limits of the settings.
   *
   * @param password the password of the database user; may be empty
   */
  Connection connect(SqlSettings settings, String password) throws SQLException;
}
