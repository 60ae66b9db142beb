package io.fjordmq.auth.sql;

import io.fjordmq.testing.LocalServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A database server for tests, with the database {@code mqtt} and the user {@code broker}. */
interface SqlServer extends AutoCloseable {
  String PASSWORD = "s3cret-of-the-broker";

  /** The type of the provider. */
  String type();

  LocalServer process();

  /** Connects as an administrator. */
  Connection connect() throws SQLException;

  /** Creates the tables that EMQX documents for this database. */
  void createEmqxTables() throws SQLException;

  /** Changes the password of the user {@code broker}, and ends its connections. */
  void changePassword(String password) throws SQLException;

  /** Ends the server so that its data is kept. */
  void kill() throws Exception;

  /** An expression that takes some seconds. */
  String sleep(int seconds);

  default void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String one : statements) {
        statement.execute(one);
      }
    }
  }

  @Override
  default void close() throws Exception {
    process().close();
  }
}
