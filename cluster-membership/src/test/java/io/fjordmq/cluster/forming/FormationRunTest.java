package io.fjordmq.cluster.forming;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.SeedSource;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.peer.HelloReply;
import io.fjordmq.cluster.peer.PeerChannels;
import io.fjordmq.cluster.peer.PeerPort;
import io.fjordmq.cluster.peer.PeerSettings;
import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.cluster.tls.TestAuthority;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waiting nodes on real ports. */
class FormationRunTest {
  @TempDir Path folder;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<NodeAddress> addresses = new ArrayList<>();

  @BeforeEach
  void chooseAddresses() throws Exception {
    for (int i = 0; i < 3; i++) {
      addresses.add(new NodeAddress("127.0.0.1", FreePorts.forCluster()));
    }
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  /** A node that waits on a thread of its own. */
  private final class Waiting {
    final CompletableFuture<FormationOutcome> outcome = new CompletableFuture<>();
    volatile String progress = "";

    Waiting(int number, List<NodeAddress> seeds, @Nullable ClusterTls tls) {
      threads.execute(
          () -> {
            NodeAddress own = addresses.get(number);
            try (DataDirectory directory = DataDirectory.open(folder.resolve("node" + number));
                PeerChannels channels = PeerChannels.open(PeerSettings.DEFAULT, tls)) {
              FormationOptions options =
                  new FormationOptions(
                      "Test", 3, own, Duration.ofSeconds(2), Duration.ofMillis(50));
              FormationRun run =
                  new FormationRun(
                      options,
                      SeedSource.fixed(seeds),
                      channels,
                      PeerSettings.DEFAULT,
                      new InetSocketAddress(own.host(), own.port()),
                      tls,
                      new SecureRandom());
              outcome.complete(run.await(new FormingFile(directory), text -> progress = text));
            } catch (Exception e) {
              outcome.completeExceptionally(e);
            }
          });
    }

    boolean hasFounded() {
      return outcome.isDone() && outcome.join() instanceof FormationOutcome.Founded;
    }
  }

  private void shouldFormWith(List<NodeAddress> seeds, @Nullable ClusterTls tls) {
    Waiting first = new Waiting(0, seeds, tls);
    Waiting second = new Waiting(1, seeds, tls);
    Await.until("two see each other", () -> first.progress.contains("found 2 of 3 nodes"));
    assertThat(first.outcome).isNotDone();
    Waiting third = new Waiting(2, seeds, tls);
    List<Waiting> all = List.of(first, second, third);
    Await.until("one has founded", () -> all.stream().anyMatch(Waiting::hasFounded));
    assertThat(all).filteredOn(Waiting::hasFounded).hasSize(1);
    Waiting founder = all.stream().filter(Waiting::hasFounded).findFirst().orElseThrow();
    NodeIdentity identity = ((FormationOutcome.Founded) founder.outcome.join()).identity();
    for (Waiting other : all) {
      if (other != founder) {
        Await.until(
            "it waits for the founder",
            () -> other.progress.startsWith("waiting for node " + identity.node()));
      }
    }
  }

  @Test
  void shouldFoundOneClusterOnceAllNodesAreThere() {
    shouldFormWith(addresses, null);
  }

  /** The nodes tell each other where the others are. */
  @Test
  void shouldFindEachOtherThroughASingleSeed() {
    shouldFormWith(addresses.subList(0, 1), null);
  }

  @Test
  void shouldFoundAClusterWithTls() throws Exception {
    shouldFormWith(addresses, new TestAuthority(folder.resolve("ca")).node("a"));
  }

  @Test
  void shouldFindTheClusterOfASeed() throws Exception {
    NodeIdentity member = new NodeIdentity(new NodeId("member"), "theirs");
    NodeAddress at = addresses.get(1);
    try (PeerPort port =
        PeerPort.open(
            member,
            new InetSocketAddress(at.host(), at.port()),
            node -> null,
            null,
            PeerSettings.DEFAULT,
            StartFence.inMemory(member.node(), new StartStamp(1, 1)))) {
      Waiting node = new Waiting(0, addresses, null);
      Await.until("it says why", () -> node.progress.contains("node member is still starting"));
      port.setHelloHandler(
          hello ->
              new HelloReply(
                  "theirs",
                  "Test",
                  member.node(),
                  new StartStamp(1, 1),
                  at,
                  Set.of(),
                  Set.of(),
                  null,
                  Map.of(),
                  0,
                  1));
      assertThat(node.outcome.get(20, TimeUnit.SECONDS))
          .isInstanceOfSatisfying(
              FormationOutcome.Found.class,
              found ->
                  assertThat(found.replies())
                      .extracting(HelloReply::clusterId)
                      .containsExactly("theirs"));
    }
  }
}
