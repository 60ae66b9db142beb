package io.fjordmq.perf.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.perf.machine.ServiceUsage;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.testing.LocalServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers with users that the tool starts, and how it counts their queries. */
class ServerUsersTest {
  private static final UserAccount ACCOUNT =
      new UserAccount("p0", List.of("perf/+/0", "o'neill\\"), List.of("perf/+/1"));

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MYSQL", "LDAP"})
  void shouldCountOnlyTheQueriesOfTheBroker(UserStore store) throws Exception {
    assumeTrue(UserServices.missingPackage(store).isEmpty(), store + " is not installed");
    try (UserService users = UserServices.open(store, directory, List.of(ACCOUNT))) {
      ServiceUsage before = users.usage().orElseThrow();
      assertThat(users.usage().orElseThrow().calls()).isEqualTo(before.calls());
      assertThat(before.cpuMicros().getAsLong()).isPositive();
      assertThat(queryAsBroker(store, users)).contains("o'neill\\");
      int calls = store == UserStore.LDAP ? 2 : 1; // a bind and a search
      assertThat(users.usage().orElseThrow().callsSince(before)).hasValue(calls);
    }
  }

  private static String queryAsBroker(UserStore store, UserService users) throws Exception {
    String server = FirstProvider.setting(users, "authentication", "servers");
    String port = server.substring(server.indexOf(':') + 1);
    List<String> query = List.of("SELECT topic FROM mqtt_acl WHERE username = 'p0';");
    if (store == UserStore.POSTGRESQL) {
      List<String> psql = List.of("psql", "-h127.0.0.1", "-p" + port, "-Ufjordmq", "-w", "mqtt");
      return LocalServer.client(psql, Map.of("PGPASSWORD", "fjordmq"), query);
    } else if (store == UserStore.MYSQL) {
      List<String> client =
          List.of("mariadb", "-h127.0.0.1", "-P" + port, "-ufjordmq", "--raw", "mqtt");
      return LocalServer.client(client, Map.of("MYSQL_PWD", "fjordmq"), query);
    }
    String user = FirstProvider.setting(users, "authentication", "username");
    return LocalServer.client(
        List.of(
            "ldapsearch",
            "-x",
            "-Hldap://127.0.0.1:" + port,
            "-D" + user,
            "-wfjordmq",
            "-bou=devices,dc=example,dc=com",
            "(uid=p0)"),
        Map.of(),
        List.of());
  }

  @Test
  void shouldInsertManyRowsWithEachStatement() {
    List<UserAccount> accounts =
        IntStream.range(0, 450)
            .mapToObj(number -> new UserAccount("p" + number, List.of("t"), List.of()))
            .toList();
    List<String> statements = new ArrayList<>();
    new SqlAccounts(accounts).forEach(statements::add);
    assertThat(statements).hasSize(6);
    assertThat(statements.get(5)).endsWith("('p449', 'allow', 'publish', 't');");
  }
}
