package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A running cluster under load is changed with operator commands: no acknowledged message is lost
 * or reordered.
 */
@Tag("slow")
class ClusterChangesTest {
  private static final long TIMEOUT_SECONDS = 90;
  private static final String ONE_VOTER =
      """
      storeConfig:
        dist:
          replicaVoterCount: 1
        inbox:
          replicaVoterCount: 1
        retain:
          replicaVoterCount: 1
      """;

  @TempDir Path directory;
  private List<NodeFile> files;
  private final List<BrokerUnderTest> nodes = new ArrayList<>();

  @BeforeEach
  void startTwo() {
    files = ClusterUnderTest.files(5, ONE_VOTER);
    startNext(1);
    startNext(1);
  }

  @AfterEach
  void stopAll() {
    ClusterUnderTest.stopAll(nodes);
  }

  private void startNext(int count) {
    List<BrokerUnderTest> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = nodes.size() + 1;
      BrokerUnderTest node =
          BrokerUnderTest.launchIn(directory.resolve("node" + number), files.get(number - 1));
      nodes.add(node);
      started.add(node);
    }
    started.forEach(BrokerUnderTest::awaitListening);
  }

  private BrokerUnderTest node(int number) {
    return nodes.get(number - 1);
  }

  @Test
  void shouldLoseNoMessageDuringVoterAndNodeChanges() throws Exception {
    try (CrashSubscriber subscriber = new CrashSubscriber(node(2).mqtt(), "all-along");
        CrashPublisher publisher =
            new CrashPublisher(node(1).mqtt(), "changes", MqttQos.AT_LEAST_ONCE)) {
      subscriber.subscribe("crash/#");
      publisher.start();
      startNext(1);
      setVoters(1, 3);
      awaitVoters(3, publisher);
      startNext(2);
      setVoters(4, 5);
      awaitVoters(5, publisher);
      setVoters(2, 1);
      awaitVoters(1, publisher);
      setVoters(5, 3);
      awaitVoters(3, publisher);
      decommission(5, publisher);
      loseDataOf(3, publisher);
      publisher.finish();
      Await.until(
          "everything that was acknowledged",
          TIMEOUT_SECONDS,
          () -> subscriber.distinct(publisher.topic()).containsAll(publisher.acknowledged()));
      assertThat(subscriber.distinct(publisher.topic())).isSorted();
      assertThat(publisher.acknowledgedCount()).isGreaterThan(500);
      // Membership changes and elections are log entries that are not applied to the state.
      Await.until("no replica is behind", 30, () -> !status(1).contains(" behind"));
    }
  }

  /** The node transfers its ranges and clients, stops, and may not rejoin. */
  private void decommission(int number, CrashPublisher publisher) throws Exception {
    String id = idOf(number);
    assertThat(command(number, 0, "leave")).contains("node decommissioned");
    assertThat(node(number).awaitEnd()).isZero();
    // A leaving node has no votes; it is removed as a learner of the routes afterwards.
    Await.until("it is forgotten", TIMEOUT_SECONDS, () -> !status(1).contains(id));
    awaitVoters(3, publisher);
    node(number).relaunch();
    assertThat(node(number).awaitEnd()).isEqualTo(1);
    assertThat(node(number).output()).contains("this node has been removed from its cluster");
  }

  /** The node rejoins with a new identity; its old identity is removed. */
  private void loseDataOf(int number, CrashPublisher publisher) throws Exception {
    String id = idOf(number);
    assertThat(command(1, 1, "remove-node", id)).contains("is UP: stop it first");
    node(number).kill();
    delete(node(number).nodeDirectory().resolve("data"));
    node(number).restart();
    Await.until(
        "the old node is down",
        TIMEOUT_SECONDS,
        () ->
            status(1)
                .lines()
                .anyMatch(line -> line.contains("node " + id) && line.contains("down")));
    assertThat(command(2, 0, "remove-node", id)).contains("removed node " + id);
    awaitVoters(3, publisher);
    Await.until("it is forgotten", TIMEOUT_SECONDS, () -> !status(4).contains(id));
    assertThat(command(4, 1, "remove-node", id)).contains("has already been removed");
  }

  private void setVoters(int asked, int count) throws Exception {
    String all = "dist=%d inbox=%d retain=%d".formatted(count, count, count);
    assertThat(command(asked, 0, ("voters " + all).split(" "))).contains(all);
    assertThat(command(1, 0, "voters")).contains(all);
    assertThat(command(1, 2, "voters", "inbox=6")).contains("NUMBER is from 1 to 5");
  }

  /** Every range has this many voters, all of them responding, and messages are delivered. */
  private void awaitVoters(int count, CrashPublisher publisher) {
    try {
      Await.until(
          count + " voters", TIMEOUT_SECONDS, () -> rangesWithVoters(count) == ranges().count());
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + status(1), e);
    }
    int before = publisher.acknowledgedCount();
    Await.until("progress", 30, () -> publisher.acknowledgedCount() > before + 20);
  }

  private Stream<String> ranges() {
    return status(1).lines().filter(line -> line.startsWith("range "));
  }

  private long rangesWithVoters(int count) {
    return ranges()
        .map(line -> line.replaceFirst(".*  voters ", "").replaceFirst("  .*", ""))
        .filter(voters -> voters.split(", ").length == count && !voters.contains("unresponsive"))
        .count();
  }

  private String status(int number) {
    return Scrape.get(node(number).httpPort(), "/status").body();
  }

  private String idOf(int number) {
    return status(number)
        .lines()
        .filter(line -> line.contains("this node"))
        .findFirst()
        .orElseThrow()
        .split(" +")[1];
  }

  /** Runs the command like an operator; returns its output. */
  private String command(int number, int exitCode, String... words) throws Exception {
    List<String> line = new ArrayList<>();
    line.add(BrokerCommand.home().resolve("bin/standalone.sh").toString());
    line.addAll(List.of(words));
    Path folder = directory.resolve("node" + number);
    line.addAll(List.of("-c", folder.resolve("standalone.yml").toString()));
    line.addAll(List.of("-d", node(number).nodeDirectory().toString()));
    Path output = Files.createTempFile(directory, "command", ".out");
    Process process =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(output)).isEqualTo(exitCode);
    return Files.readString(output);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
