package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The expected decisions are those of mosquitto 2.0.11 with the same file. */
class AclFileTest {
  private static final String FILE =
      """
      # a comment
      topic read anon/#

      user alice
      topic alice/#
      topic read pub/#
      topic   deny  pub/secret
      topic write cmd/+

      pattern write dev/%c/state
      pattern read user/%u/#
      pattern deny user/%u/hidden
      user bob
      topic read #
      user alice
      topic readwrite more
      """;

  @TempDir private Path folder;

  private AclFile readAcl(String text) throws IOException {
    return AclFile.read(Files.writeString(folder.resolve("acl"), text));
  }

  @ParameterizedTest(name = "{0} as {1} {2} {3}: {4}")
  @CsvSource({
    "A, alice, write, alice/x,           ALLOW",
    "A, alice, read,  alice/x,           ALLOW",
    "A, alice, read,  alice,             ALLOW",
    "A, alice, read,  pub/a,             ALLOW",
    "A, alice, write, pub/a,             PASS",
    "A, alice, read,  pub/secret,        DENY",
    "A, alice, write, pub/secret,        DENY",
    "A, alice, write, cmd/a,             ALLOW",
    "A, alice, write, cmd/a/b,           PASS",
    "A, alice, read,  cmd/a,             PASS",
    "A, alice, read,  more,              ALLOW",
    "A, alice, write, dev/A/state,       ALLOW",
    "A, alice, write, dev/B/state,       PASS",
    "A, alice, read,  user/alice/q,      ALLOW",
    "A, alice, read,  user/bob/q,        PASS",
    "A, alice, read,  user/alice/hidden, DENY",
    "A, alice, read,  anon/x,            PASS",
    "A, bob,   read,  anything/at/all,   ALLOW",
    "A, bob,   read,  $SYS/x,            PASS",
    "A, bob,   write, anything,          PASS",
    "A, bob,   write, dev/A/state,       ALLOW",
    "A, carol, write, dev/A/state,       ALLOW",
    "A, carol, read,  alice/x,           PASS",
    "A, '',    read,  anon/x,            ALLOW",
    "A, '',    write, dev/A/state,       ALLOW",
    "A, '',    read,  user//q,           PASS",
    "+, alice, write, dev/x/state,       PASS",
    "+, alice, write, alice/x,           ALLOW",
    "A, al#,   read,  user/x/q,          PASS"
  })
  void shouldDecideLikeMosquitto(
      String clientId, String user, String access, String topic, Decision expected)
      throws IOException {
    @Nullable String name = user.isEmpty() ? null : user;
    TopicRules rules = readAcl(FILE).rulesOf(client(clientId, name));
    assertThat(decide(rules, topic, access.equals("write"))).isEqualTo(expected);
  }

  private static ClientContext client(String clientId, @Nullable String userName) {
    return ClientContext.withoutPassword(
        clientId, userName, null, null, "tcp", "", Map.of("site", "oslo"));
  }

  private static Decision decide(TopicRules rules, String topic, boolean write) {
    return write
        ? rules.decidePublish(new Topic(topic), Qos.AT_MOST_ONCE, false)
        : rules.decideRead(new Topic(topic));
  }

  @Test
  void shouldNotLetANameReachTheTopicsOfTheBroker() throws IOException {
    AclFile acl = readAcl("pattern read %c/#\npattern read %u/#\n");
    TopicRules rules = acl.rulesOf(client("$SYS", "$SYS"));
    assertThat(decide(rules, "$SYS/broker/uptime", false)).isEqualTo(Decision.PASS);
    assertThat(decide(acl.rulesOf(client("A", "u")), "A/x", false)).isEqualTo(Decision.ALLOW);
  }

  @Test
  void shouldReplaceLongPlaceholdersInPatterns() throws IOException {
    TopicRules rules =
        readAcl("pattern write ${client_attrs.site}/${clientid}/x\n").rulesOf(client("A", "alice"));
    assertThat(decide(rules, "oslo/A/x", true)).isEqualTo(Decision.ALLOW);
    assertThat(decide(rules, "bergen/A/x", true)).isEqualTo(Decision.PASS);
  }

  @Test
  void shouldAcceptNamesAndTopicsWithSpaces() throws IOException {
    TopicRules rules = readAcl("user a b\ntopic read one two/#\n").rulesOf(client("c", "a b"));
    assertThat(decide(rules, "one two/x", false)).isEqualTo(Decision.ALLOW);
  }

  @Test
  void shouldNotExpandPlaceholdersInSubstitutedText() throws IOException {
    TopicRules rules = readAcl("pattern read %c/%u\n").rulesOf(client("%u", "alice"));
    assertThat(decide(rules, "%u/alice", false)).isEqualTo(Decision.ALLOW);
    assertThat(decide(rules, "alice/alice", false)).isEqualTo(Decision.PASS);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "topic sometimes a/b,  access must be",
    "topic read a/#/b,     '#' must be",
    "pattern read ${what}/x, unknown placeholder",
    "topic read $share/g/a, a rule must contain the topic filter",
    "user,                 user must be followed by a name",
    "grant all,            a line must begin with"
  })
  void shouldNameTheInvalidLine(String line, String reason) throws IOException {
    assertThatThrownBy(() -> readAcl("# one\n" + line + "\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("acl:2: ")
        .hasMessageContaining(reason);
  }
}
