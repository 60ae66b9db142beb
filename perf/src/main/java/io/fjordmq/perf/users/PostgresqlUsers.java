package io.fjordmq.perf.users;

import io.fjordmq.perf.Resources;
import io.fjordmq.testing.LocalServer;
import io.fjordmq.testing.PostgresqlServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** PostgreSQL with the users and rules in the tables of EMQX. */
record PostgresqlUsers(PostgresqlServer server) implements UserServer {
  private static final String DATABASE = "mqtt";

  /** The queries of the broker that read users or rules. */
  private static final String CALLS =
      """
      SELECT coalesce(sum(s.calls), 0) FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
      WHERE r.rolname = 'fjordmq' AND s.query ~ 'mqtt_(user|acl)';
      """;

  static PostgresqlUsers start(Path directory) throws IOException, InterruptedException {
    List<String> settings =
        List.of("autovacuum = off", "shared_preload_libraries = 'pg_stat_statements'");
    return new PostgresqlUsers(PostgresqlServer.start(directory, "", settings));
  }

  @Override
  public LocalServer process() {
    return server.process();
  }

  @Override
  public void add(Iterable<UserAccount> accounts) throws IOException, InterruptedException {
    server.query(DATABASE, List.of(Resources.text(PostgresqlUsers.class, "postgresql.sql")));
    server.query(DATABASE, new SqlAccounts(accounts));
    server.query(DATABASE, List.of("VACUUM ANALYZE;"));
  }

  @Override
  public String configuration() {
    return SqlAccounts.configuration("postgresql", process().address());
  }

  @Override
  public long calls() throws IOException, InterruptedException {
    return Long.parseLong(server.query(DATABASE, List.of(CALLS)));
  }
}
