package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.security.PluginJar;
import io.fjordmq.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a running broker admits the clients its files and plugins allow. Method: {@code
 * bin/passwd.sh}, an ACL file, a plugin in its jar, and packets in bytes.
 */
@Tag("slow")
class AccessTest {
  private static final String PLUGIN =
      """
      package com.example;

      import io.fjordmq.api.plugin.*;
      import java.util.concurrent.CompletionStage;

      public final class Guests implements Authenticator {
        private String prefix = "";

        @Override
        public void start(Settings settings) {
          prefix = settings.text("prefix");
        }

        @Override
        public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
          return attempt.clientId().startsWith(prefix)
              ? Authentication.allow("guest").now()
              : Authentication.pass().now();
        }
      }
      """;

  private static final String LISTENER =
      """
      package com.example;

      import io.fjordmq.api.plugin.*;

      public final class Sleeper implements ClientEventListener {
        @Override
        public synchronized void onConnected(ClientInfo client) {
          try {
            wait();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        }
      }
      """;

  @TempDir private Path folder;

  private static String text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits((short) bytes.length) + hex.formatHex(bytes);
  }

  private static String packet(int first, String body) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits((byte) first) + hex.toHexDigits((byte) (body.length() / 2)) + body;
  }

  private static String loginPacket(String id, String user, String password) {
    return packet(0x10, text("MQTT") + "05c2000000" + text(id) + text(user) + text(password));
  }

  private static String login(RawClient client, String id, String user, String password) {
    return code(client.send(loginPacket(id, user, password)).next());
  }

  /** The reason code of the CONNACK. */
  private static String code(String connack) {
    return connack.substring(6, 8);
  }

  /** The reason code of the PUBACK. */
  private static String publish(RawClient client, String topic) {
    String response = client.send(packet(0x32, text(topic) + "000100")).next();
    assertThat(response).startsWith("40");
    return response.length() == 8 ? "00" : response.substring(8, 10);
  }

  private static void addUser(Path home, Path file, String user, String password) throws Exception {
    passwd(home, Files.exists(file) ? "-b" : "-cb", file.toString(), user, password);
  }

  private static void passwd(Path home, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(home.resolve("bin/passwd.sh").toString()));
    command.addAll(List.of(arguments));
    Process script = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(script.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(script.exitValue()).as(output).isZero();
  }

  @Test
  void shouldEnforceItsFilesAndPluginsAndReloadTheirChanges() throws Exception {
    Path home = Installation.in(folder.resolve("home"));
    Path passwords = folder.resolve("passwords");
    Path acl = folder.resolve("acl");
    addUser(home, passwords, "alice", "secret");
    Files.writeString(acl, "user alice\ntopic write a/#\nuser guest\ntopic write lobby\n");
    PluginJar.create(
        folder.resolve("plugins"), "guests", "Authenticator=com.example.Guests", PLUGIN);
    String configuration =
        """
        securityConfig:
          passwordFile: %s
          aclFile: %s
          pluginDir: %s
          reloadInterval: 50 ms
          maxLoginFailures: 0
        plugins:
          guests:
            prefix: guest-
        """
            .formatted(passwords, acl, folder.resolve("plugins"));
    try (BrokerUnderTest broker =
        BrokerUnderTest.startIn(folder.resolve("broker"), configuration, List.of())) {
      try (RawClient alice = new RawClient(broker.mqtt());
          RawClient guest = new RawClient(broker.mqtt())) {
        assertThat(login(alice, "1", "alice", "secret")).isEqualTo("00");
        assertThat(publish(alice, "a/1")).isEqualTo("10");
        assertThat(publish(alice, "b/1")).isEqualTo("87");
        assertThat(login(guest, "guest-1", "whoever", "x")).isEqualTo("00");
        assertThat(publish(guest, "lobby")).isEqualTo("10");
        assertThat(publish(guest, "a/1")).isEqualTo("87");
        Files.writeString(acl, "user alice\ntopic write b/#\n");
        Await.until("the rules to change", 20, () -> publish(alice, "b/1").equals("10"));
        assertThat(publish(alice, "a/1")).isEqualTo("87");
      }
      assertThat(answer(broker, "alice", "wrong")).isEqualTo("86");
      assertThat(answer(broker, "bob", "hunter2")).isEqualTo("86");
      addUser(home, passwords, "bob", "hunter2");
      Await.until("the new user", 20, () -> answer(broker, "bob", "hunter2").equals("00"));
      shouldDisconnectChangedUsers(home, passwords, broker);
      assertThat(broker.scrape().sum("fjordmq_denials_total")).isGreaterThanOrEqualTo(5);
      assertThat(broker.output())
          .contains("Reloaded a changed file", acl.toString())
          .doesNotContain("\tat ");
    }
  }

  private void shouldDisconnectChangedUsers(Path home, Path passwords, BrokerUnderTest broker)
      throws Exception {
    try (RawClient alice = new RawClient(broker.mqtt());
        RawClient bob = new RawClient(broker.mqtt())) {
      assertThat(login(alice, "of-alice", "alice", "secret")).isEqualTo("00");
      assertThat(login(bob, "of-bob", "bob", "hunter2")).isEqualTo("00");
      passwd(home, "-D", passwords.toString(), "bob");
      assertDisconnected(bob, "the user was removed from the password file");
      assertThat(publish(alice, "b/1")).as("other users stay connected").isEqualTo("10");
      addUser(home, passwords, "alice", "new secret");
      assertDisconnected(alice, "the password of the user changed");
    }
    assertThat(ApiClient.of(broker.nodeDirectory()).get("/clients/of-bob/events").body().toString())
        .contains("the user was removed from the password file");
  }

  /** Expects a DISCONNECT with 0x98, Administrative action. */
  private static void assertDisconnected(RawClient client, String reason) {
    String packet = client.next();
    assertThat(packet).startsWith("e0").contains(text(reason));
    assertThat(packet.substring(4, 6)).isEqualTo("98");
  }

  @Test
  void shouldCountEventsThatAHangingPluginMisses() throws Exception {
    Path plugins = folder.resolve("plugins");
    PluginJar.create(plugins, "sleeper", "ClientEventListener=com.example.Sleeper", LISTENER);
    String configuration =
        """
        securityConfig:
          pluginDir: %s
          maxWaitingEvents: 2
        """
            .formatted(plugins);
    try (BrokerUnderTest broker =
        BrokerUnderTest.startIn(folder.resolve("broker"), configuration, List.of())) {
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        clients.add(RawClient.openConnected(broker.mqtt(), 5, "c" + i, 0));
      }
      // One is being told, two wait.
      Scrape metrics = broker.scrape();
      assertThat(metrics.value("fjordmq_events_dropped_total")).isEqualTo(2);
      assertThat(metrics.value("fjordmq_events_waiting")).isEqualTo(2);
      clients.forEach(RawClient::close);
    }
  }

  @Test
  void shouldBlockAddressesWithFailedLoginsAndRefuseQueuedLogins() throws Exception {
    Path home = Installation.in(folder.resolve("home"));
    Path passwords = folder.resolve("passwords");
    addUser(home, passwords, "alice", "secret");
    String configuration =
        """
        securityConfig:
          passwordFile: %s
          passwordThreads: 1
          maxWaitingPasswords: 1
          maxLoginFailures: 10
        """
            .formatted(passwords);
    try (BrokerUnderTest broker =
        BrokerUnderTest.startIn(folder.resolve("broker"), configuration, List.of())) {
      // The hash of one is computed, another waits.
      List<RawClient> burst = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        burst.add(new RawClient(broker.mqtt()).send(loginPacket("b" + i, "alice", "wrong")));
      }
      List<String> responses = burst.stream().map(client -> code(client.next())).toList();
      assertThat(responses).contains("89", "86").containsOnly("89", "86");
      String denials = "fjordmq_denials_total{attempt=\"connect\",cause=\"%s\"}";
      assertThat(broker.scrape().value(denials.formatted("busy")))
          .isEqualTo(responses.stream().filter("89"::equals).count());

      long failed = responses.stream().filter("86"::equals).count();
      for (; failed < 10; failed++) {
        assertThat(answer(broker, "alice", "wrong")).isEqualTo("86");
      }
      assertThat(answer(broker, "alice", "secret")).isEqualTo("9f");
      assertThat(broker.scrape().value(denials.formatted("too_many_failures"))).isEqualTo(1);
      burst.forEach(RawClient::close);
    }
  }

  private static String answer(BrokerUnderTest broker, String user, String password) {
    try (RawClient client = new RawClient(broker.mqtt())) {
      return login(client, "x", user, password);
    }
  }
}
