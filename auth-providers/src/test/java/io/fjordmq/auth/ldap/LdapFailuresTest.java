package io.fjordmq.auth.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.fjordmq.auth.Chain;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What happens if the directory refuses, fails or does not answer. */
class LdapFailuresTest extends WithSlapd {
  @Test
  void shouldExplainWhatTheDirectoryRefuses() throws Exception {
    try (Chain password = login(searching("password", "not-the-password"));
        Chain referral = login(searching("baseDn", "dc=elsewhere,dc=org"))) {
      assertThat(password.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("invalid credentials")
          .doesNotContain("not-the-password");
      assertThat(referral.result("c", "u", "p")).contains("unknown user");
    }
  }

  @Test
  void shouldNotFollowReferrals() throws Exception {
    server.add(
        "dn: ou=far,"
            + USERS
            + "\nobjectClass: referral\nobjectClass: extensibleObject\nou: far\n"
            + "ref: ldap://127.0.0.1:1/ou=far,dc=far\n");
    try (Chain chain =
        login(settings("baseDn", "uid=${username},ou=far," + USERS, "scope", "base"))) {
      assertThat(chain.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("referrals are not followed");
    } finally {
      try (LDAPConnection connection = server.connect()) {
        DeleteRequest delete = new DeleteRequest("ou=far," + USERS);
        delete.addControl(new ManageDsaITRequestControl(true));
        connection.delete(delete);
      }
    }
  }

  @Test
  void shouldSurviveTheEndOfTheServer() throws Exception {
    addUser("u", "p", "mqttPublishTopic", "t");
    try (Chain chain = Chain.open(List.of(searching()), List.of(searching()))) {
      ClientAccess connected = access(chain, "c", "u");
      server.process().stop("KILL");
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

  @Test
  void shouldNotNoticeARestartBetweenLogins() throws Exception {
    addUser("u", "p", "mqttPublishTopic", "t");
    try (Chain chain = Chain.open(List.of(searching()), List.of(searching()))) {
      List<CompletableFuture<ConnectAdmission>> storm = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        storm.add(chain.login("s" + i, "u", "p"));
      }
      for (CompletableFuture<ConnectAdmission> one : storm) {
        assertThat(one.get(20, TimeUnit.SECONDS)).isInstanceOf(Admitted.class);
      }
      server.process().stop("TERM");
      server.process().restart();
      for (int i = 0; i < 10; i++) {
        assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      }
    }
  }

  @Test
  void shouldCloseTheConnectionIfTheSecondAttemptFails() throws Exception {
    CompletableFuture<Integer> end = new CompletableFuture<>();
    try (ServerSocket directory = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread thread = new Thread(() -> loseTheFirstConnectionAndFailOnTheSecond(directory, end));
      thread.start();
      String address = "127.0.0.1:" + directory.getLocalPort();
      try (Chain chain = login(settings("servers", address, "userDn", USER_DN))) {
        assertThat(chain.result("c", "u", "p"))
            .startsWith("SERVER_UNAVAILABLE")
            .contains("admin limit exceeded");
        assertThat(end.get(10, TimeUnit.SECONDS)).as("end of the connection").isEqualTo(-1);
      }
      thread.join();
    }
  }

  /**
   * @param end completed with what {@code read} returns when the client has ended the connection
   */
  private static void loseTheFirstConnectionAndFailOnTheSecond(
      ServerSocket directory, CompletableFuture<Integer> end) {
    try {
      try (Socket first = directory.accept()) {
        readBind(first);
      }
      try (Socket second = directory.accept()) {
        byte id = readBind(second);
        byte[] adminLimitExceeded = {0x30, 12, 2, 1, id, 0x61, 7, 0x0A, 1, 11, 4, 0, 4, 0};
        second.getOutputStream().write(adminLimitExceeded);
        int last = 0;
        while (last >= 0) {
          last = second.getInputStream().read();
        }
        end.complete(last);
      }
    } catch (IOException e) {
      end.completeExceptionally(e);
    }
  }

  /** Reads a short request, and returns its message ID. */
  private static byte readBind(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] header = in.readNBytes(5);
    in.readNBytes(header[1] - 3);
    return header[4];
  }

  @Test
  void shouldTryTheNextServer() throws Exception {
    addUser("u", "p");
    String servers = "127.0.0.1:" + FreePorts.one() + "," + server.process().address();
    try (Chain chain = login(searching("servers", servers))) {
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
    }
  }

  @Test
  void shouldNotWaitForAServerThatNeverAnswers() throws Exception {
    addUser("u", "p");
    server.process().signal("STOP");
    try {
      expectRefusalsInTime(searching("timeout", "1 s"));
    } finally {
      server.process().signal("CONT");
    }
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + silent.getLocalPort();
      expectRefusalsInTime(searching("servers", address, "timeout", "1 s"));
      expectRefusalsInTime(searching("servers", address, "timeout", "1 s", "tls", "true"));
      expectRefusalsInTime(searching("servers", address, "timeout", "1 s", "tls", "startTls"));
    }
  }

  private static void expectRefusalsInTime(Map<String, String> settings) throws Exception {
    Chain chain = login(settings);
    long begin = System.nanoTime();
    List<CompletableFuture<ConnectAdmission>> logins = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      logins.add(chain.login("s" + i, "u", "p"));
    }
    for (CompletableFuture<ConnectAdmission> one : logins) {
      assertThat(one.get(20, TimeUnit.SECONDS)).isInstanceOf(ConnectAdmission.Refused.class);
    }
    assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(5));
    begin = System.nanoTime();
    chain.close();
    assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(2));
  }
}
