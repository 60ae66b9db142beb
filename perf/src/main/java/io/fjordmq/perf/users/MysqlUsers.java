package io.fjordmq.perf.users;

import io.fjordmq.perf.Resources;
import io.fjordmq.testing.LocalServer;
import io.fjordmq.testing.MariadbServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** MariaDB with the users and rules in the tables of EMQX. */
record MysqlUsers(MariadbServer server) implements UserServer {
  private static final String SETUP =
      """
      CREATE USER IF NOT EXISTS 'fjordmq'@'127.0.0.1' IDENTIFIED BY 'fjordmq';
      GRANT SELECT ON mqtt.* TO 'fjordmq'@'127.0.0.1';
      """;

  /** The SELECT statements of the broker. */
  private static final String CALLS =
      "SELECT coalesce(sum(select_commands), 0) FROM information_schema.user_statistics"
          + " WHERE user = 'fjordmq';";

  static MysqlUsers start(Path directory) throws IOException, InterruptedException {
    return new MysqlUsers(MariadbServer.start(directory, SETUP, List.of("--userstat=1")));
  }

  @Override
  public LocalServer process() {
    return server.process();
  }

  @Override
  public void add(Iterable<UserAccount> accounts) throws IOException, InterruptedException {
    server.query(List.of(Resources.text(MysqlUsers.class, "mysql.sql")));
    server.query(new SqlAccounts(accounts));
  }

  @Override
  public String configuration() {
    return SqlAccounts.configuration("mysql", process().address());
  }

  @Override
  public long calls() throws IOException, InterruptedException {
    return Long.parseLong(server.query(List.of(CALLS)));
  }
}
