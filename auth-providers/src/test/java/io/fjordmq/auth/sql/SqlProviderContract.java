package io.fjordmq.auth.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.auth.Chain;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every SQL provider must do, with a real server: also if it fails, and with TLS. */
abstract class SqlProviderContract extends SqlUsersContract {
  @Test
  void shouldExplainWhatTheDatabaseRefuses() throws Exception {
    server.execute("DROP TABLE mqtt_user");
    try (Chain missing = login();
        Chain password = login("password", "not-the-password");
        Chain syntax = login("query", "SELEC password FROM x WHERE y = ${username}")) {
      assertThat(missing.result("c", "u", "hunter2-password"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("mqtt_user")
          .doesNotContain("hunter2")
          .doesNotContain(SqlServer.PASSWORD);
      assertThat(syntax.result("c", "u", "p")).contains("SELEC").doesNotContain("jdbc:");
      assertThat(password.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("cannot connect")
          .contains("broker")
          .doesNotContain("not-the-password");
    }
  }

  @Test
  void shouldSurviveTheEndOfTheServer() throws Exception {
    server.execute(user("u", "p", "", false), rule("u", "allow", "all", "t"));
    try (Chain chain =
        Chain.open(List.of(settings("timeout", "2 s")), List.of(settings("timeout", "2 s")))) {
      ClientAccess connected = access(chain, "c", "u");
      server.kill();
      try {
        assertThat(chain.result("c2", "u", "p")).startsWith("SERVER_UNAVAILABLE");
        assertThat(publish(connected, "t")).as("connected clients notice nothing").isTrue();
        List<CompletableFuture<ConnectAdmission>> storm = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
          storm.add(chain.login("s" + i, "u", "p"));
        }
        for (CompletableFuture<ConnectAdmission> one : storm) {
          assertThat(one.get(20, TimeUnit.SECONDS)).isInstanceOf(ConnectAdmission.Refused.class);
        }
      } finally {
        server.process().restart();
      }
      awaitAllowed(chain);
    }
  }

  static void awaitAllowed(Chain chain) {
    Await.until(
        "a login after the server has returned",
        20,
        () -> {
          try {
            return chain.result("c3", "u", "p").equals("allow");
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void shouldNotNoticeARestartBetweenLogins() throws Exception {
    server.execute(user("u", "p", "", false));
    try (Chain chain = login()) {
      List<CompletableFuture<ConnectAdmission>> storm = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        storm.add(chain.login("s" + i, "u", "p"));
      }
      for (CompletableFuture<ConnectAdmission> one : storm) {
        assertThat(one.get(20, TimeUnit.SECONDS)).isInstanceOf(Admitted.class);
      }
      server.kill();
      server.process().restart();
      Await.until("the server is ready", 20, this::accepts);
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
    }
  }

  private boolean accepts() {
    try (var connection = server.connect()) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  void shouldTryTheNextServer() throws Exception {
    server.execute(user("u", "p", "", false));
    int closed = FreePorts.one();
    try (Chain chain = login("servers", "127.0.0.1:" + closed + "," + server.process().address())) {
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
    }
  }

  @Test
  void shouldLimitTheTimeOfAQuery() throws Exception {
    server.execute(user("u", "p", "", false));
    String slow =
        "SELECT password_hash, "
            + server.sleep(20)
            + " AS slow FROM mqtt_user WHERE username = ${username}";
    try (Chain chain = login("query", slow, "timeout", "1 s", "poolSize", "1")) {
      long begin = System.nanoTime();
      assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
      // The only connection is usable again, because the server has ended the query.
      assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
      assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(5));
      Await.until("the queries end on the server", 10, () -> runningQueries() == 0);
    }
  }

  private int runningQueries() {
    String sql =
        server.type().equals("mysql")
            ? "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'broker' AND info IS NOT NULL"
            : "SELECT COUNT(*) FROM pg_stat_activity WHERE usename = 'broker' AND state = 'active'";
    try (var connection = server.connect();
        var rows = connection.createStatement().executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldNotWaitForAServerThatNeverAnswers() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Chain chain = login("servers", "127.0.0.1:" + silent.getLocalPort(), "timeout", "1 s");
      long begin = System.nanoTime();
      List<CompletableFuture<ConnectAdmission>> logins = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        logins.add(chain.login("s" + i, "u", "p"));
      }
      for (CompletableFuture<ConnectAdmission> one : logins) {
        assertThat(one.get(20, TimeUnit.SECONDS)).isInstanceOf(ConnectAdmission.Refused.class);
      }
      assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(6));
      begin = System.nanoTime();
      chain.close();
      assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(1));
    }
  }

  @Test
  void shouldEndCallsThatAreOutWhenTheBrokerStops() throws Exception {
    server.execute(user("u", "p", "", false));
    String slow =
        "SELECT password_hash, "
            + server.sleep(4)
            + " AS slow FROM mqtt_user WHERE username = ${username}";
    Chain chain = login("query", slow, "timeout", "20 s");
    List<CompletableFuture<ConnectAdmission>> logins = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      logins.add(chain.login("s" + i, "u", "p"));
    }
    Await.until("queries run", 10, () -> runningQueries() > 0);
    long begin = System.nanoTime();
    chain.close();
    assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(1));
    for (CompletableFuture<ConnectAdmission> one : logins) {
      assertThat(one.get(10, TimeUnit.SECONDS)).isInstanceOf(ConnectAdmission.Refused.class);
    }
  }

  @Test
  void shouldAdmitAThousandClientsAtOnce() throws Exception {
    server.execute(user("u", "p", "", false), rule("u", "allow", "all", "t"));
    try (Chain chain =
        Chain.open(List.of(settings("timeout", "20 s")), List.of(settings("timeout", "20 s")))) {
      List<CompletableFuture<ConnectAdmission>> storm = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        storm.add(chain.login("s" + i, "u", "p"));
      }
      for (CompletableFuture<ConnectAdmission> one : storm) {
        assertThat(one.get(20, TimeUnit.SECONDS)).isInstanceOf(Admitted.class);
      }
    }
  }

  @Test
  void shouldReadTheFileWithThePasswordAgain() throws Exception {
    server.execute(user("u", "p", "", false));
    Path file = Files.writeString(folder.resolve("password-of-broker"), SqlServer.PASSWORD + "\n");
    try (Chain chain = login("password", "", "passwordFile", file.toString())) {
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      server.changePassword("another-secret");
      assertThat(chain.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .doesNotContain(SqlServer.PASSWORD);
      Files.writeString(file, "another-secret\n");
      awaitAllowed(chain);
    } finally {
      server.changePassword(SqlServer.PASSWORD);
    }
  }

  @Test
  void shouldVerifyTheServerWithTls() throws Exception {
    server.execute(user("u", "p", "", false));
    String byName = "localhost:" + server.process().port();
    String trust = certificates.trust().toString();
    try (Chain good = tls("servers", byName, "trustFile", trust);
        Chain wrongHost = tls("trustFile", trust);
        Chain anyHost = tls("trustFile", trust, "verifyHost", "false");
        Chain untrusted =
            tls("servers", byName, "trustFile", certificates.otherTrust().toString());
        Chain untrustedAnyHost =
            tls("trustFile", certificates.otherTrust().toString(), "verifyHost", "false")) {
      assertThat(good.result("c", "u", "p")).isEqualTo("allow");
      assertThat(anyHost.result("c", "u", "p")).isEqualTo("allow");
      for (Chain refused : List.of(wrongHost, untrusted, untrustedAnyHost)) {
        assertThat(refused.result("c", "u", "p"))
            .startsWith("SERVER_UNAVAILABLE")
            .contains("cannot connect");
      }
    }
  }

  @Test
  void shouldUseAClientCertificateAndReadItsFilesAgain() throws Exception {
    server.execute(user("u", "p", "", false));
    Path trust = folder.resolve("renewed.pem");
    Files.copy(certificates.otherTrust(), trust);
    String[] common = {
      "servers", "localhost:" + server.process().port(), "username", "certificate", "password", ""
    };
    List<String> all = new ArrayList<>(List.of(common));
    all.addAll(List.of("trustFile", trust.toString()));
    all.addAll(List.of("certFile", certificates.clientCert().toString()));
    all.addAll(List.of("keyFile", certificates.clientKey().toString()));
    try (Chain chain = tls(all.toArray(String[]::new));
        Chain without =
            tls(
                "servers",
                "localhost:" + server.process().port(),
                "username",
                "certificate",
                "password",
                "",
                "trustFile",
                certificates.trust().toString())) {
      assertThat(without.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
      assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
      Files.writeString(trust, Files.readString(certificates.trust()));
      awaitAllowed(chain);
    }
  }

  private Chain tls(String... more) {
    List<String> all = new ArrayList<>(List.of("tls", "true"));
    all.addAll(List.of(more));
    return login(all.toArray(String[]::new));
  }
}
