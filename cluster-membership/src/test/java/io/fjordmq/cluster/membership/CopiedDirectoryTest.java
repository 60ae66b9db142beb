package io.fjordmq.cluster.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.membership.RealNodes.RealNode;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data directory that is not the latest one of its node cannot take part in the cluster. */
class CopiedDirectoryTest {
  @TempDir Path folder;
  @TempDir Path backups;

  @SuppressWarnings("NullAway.Init") // created before each test
  private RealNodes nodes;

  @SuppressWarnings("NullAway.Init")
  private RealNode a;

  @SuppressWarnings("NullAway.Init")
  private RealNode b;

  @SuppressWarnings("NullAway.Init")
  private RealNode c;

  @BeforeEach
  void startThree() throws Exception {
    nodes = new RealNodes(folder);
    a = nodes.start("a", nodes.bootstrap("a", "a"));
    b = nodes.start("b", nodes.join("b", "a"));
    c = startC();
    nodes.awaitAllServing();
    Await.until(
        "all are voters", () -> a.membership().metadata().status().replicas().voters().size() == 3);
  }

  @AfterEach
  void stopAll() {
    nodes.close();
  }

  private RealNode startC() throws Exception {
    return nodes.start("c", nodes.join("c", "a", "b"));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void write(RealNode at, String key) throws Exception {
    Change change = Change.put(key, "y".getBytes(US_ASCII), Change.ABSENT);
    assertThat(at.membership().write(List.of(change)).get(20, TimeUnit.SECONDS))
        .isInstanceOf(WriteResult.Applied.class);
  }

  private static boolean has(RealNode node, String key) {
    MetadataRecord record = node.membership().metadata().view().get(key);
    return record != null;
  }

  @Test
  void shouldRefuseARestoredDirectoryAndLoseNothing() throws Exception {
    Path copy = backups.resolve("c");
    nodes.stop(c);
    copy(nodes.directoryOf("c"), copy);
    for (int start = 0; start < 2; start++) {
      c = startC();
      nodes.awaitAllServing();
      write(c, "key" + start);
      nodes.stop(c);
    }
    delete(nodes.directoryOf("c"));
    copy(copy, nodes.directoryOf("c"));
    assertThatThrownBy(this::startC)
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("node " + c.id() + " is an outdated copy")
        .hasMessageContaining("empty data directory");
    write(a, "later");
    Await.until("nothing is lost", () -> has(b, "key0") && has(b, "key1") && has(b, "later"));
  }

  @Test
  void shouldBeRefusedByAnyNodeThatKnowsALaterStartBeforeThereIsALeader() throws Exception {
    Path copy = backups.resolve("c");
    nodes.stop(c);
    copy(nodes.directoryOf("c"), copy);
    c = startC();
    nodes.awaitAllServing();
    NodeId id = c.id();
    StartStamp latest = c.port().fence().ownStart();
    Await.until("b knows", () -> latest.equals(b.port().fence().latestStart(id)));
    nodes.stop(c);
    nodes.stop(a);
    nodes.stop(b);
    delete(nodes.directoryOf("c"));
    copy(copy, nodes.directoryOf("c"));
    CompletableFuture<RealNode> later = nodes.startLater("b", nodes.join("b", "a", "c"));
    // Alone, b has no majority; with the copy it would have one.
    Await.until(
        "the copy is refused",
        () -> {
          try {
            nodes.start("c", nodes.join("c", "b"));
            throw new AssertionError("the copy joins");
          } catch (MembershipException refused) {
            return String.valueOf(refused.getMessage()).contains("node " + id + " is a copy");
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    assertThat(later).isNotDone();
    nodes.start("a", nodes.join("a", "b"));
    later.get(60, TimeUnit.SECONDS);
    nodes.awaitAllServing();
  }

  @Test
  void shouldRefuseACopyWhileTheOriginalContinues() throws Exception {
    nodes.stop(c);
    copy(nodes.directoryOf("c"), folder.resolve("clone"));
    c = startC();
    nodes.awaitAllServing();
    assertThatThrownBy(() -> nodes.start("clone", nodes.join("clone", "a", "b")))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("node " + c.id() + " is a copy");
    write(c, "key");
    Await.until("the original continues", () -> has(a, "key") && c.membership().isServing());
  }

  @Test
  void shouldRefuseACopyOfARunningNodeOnceItsStartCounterHasIncreased() throws Exception {
    copy(nodes.directoryOf("c"), folder.resolve("clone"));
    for (int i = 0; i < 2; i++) {
      c.port().fence().incrementCounter();
    }
    c.host().announceStart();
    nodes.stop(c);
    nodes.stop(startC());
    assertThatThrownBy(() -> nodes.start("clone", nodes.join("clone", "a", "b")))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("node " + c.id() + " is an outdated copy");
  }

  @Test
  void shouldAcceptADirectoryThatWasMoved() throws Exception {
    nodes.stop(c);
    Files.move(nodes.directoryOf("c"), folder.resolve("moved"));
    RealNode moved = nodes.start("moved", nodes.join("moved", "a", "b"));
    nodes.awaitAllServing();
    assertThat(moved.id()).isEqualTo(c.id());
    write(moved, "key");
  }
}
