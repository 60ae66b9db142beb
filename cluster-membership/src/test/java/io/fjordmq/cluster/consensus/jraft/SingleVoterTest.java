package io.fjordmq.cluster.consensus.jraft;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ProbeProposal;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ValuesState;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is the only voter of its groups, as in a single-node broker. */
final class SingleVoterTest {
  private static final NodeId SELF = new NodeId("solo");
  private static final GroupId GROUP = new GroupId("inbox-1");

  @TempDir Path directory;
  private JRaftHost host;

  @BeforeEach
  void start() throws Exception {
    host = open();
    host.create(GROUP, ReplicaSet.ofVoters(SELF));
  }

  @AfterEach
  void stop() {
    host.close();
  }

  private JRaftHost open() {
    return JRaftHost.open(SELF, directory, ConsensusSettings.DEFAULT, ConsensusObserver.NONE);
  }

  private Consensus lead(ValuesState state) {
    Consensus consensus = host.open(GROUP, state);
    Await.until("the only voter leads", () -> consensus.leadership().leading());
    return consensus;
  }

  private static ProbeProposal propose(Consensus consensus, String value) {
    ProbeProposal probe = new ProbeProposal();
    consensus.propose(consensus.leadership().term(), value.getBytes(StandardCharsets.UTF_8), probe);
    return probe;
  }

  private static long get(ProbeProposal probe) throws Exception {
    return probe.outcome.get(20, TimeUnit.SECONDS);
  }

  @Test
  void shouldApplyInTheOrderOfTheCallsWhenManyAreProposed() throws Exception {
    ValuesState state = new ValuesState();
    Consensus consensus = lead(state);
    List<String> values = IntStream.range(0, 1_000).mapToObj(i -> "v" + i).toList();
    List<ProbeProposal> probes = values.stream().map(value -> propose(consensus, value)).toList();
    for (ProbeProposal probe : probes) {
      get(probe);
    }
    assertThat(state.values()).isEqualTo(values);
    assertThat(state.indexes()).isSorted().doesNotHaveDuplicates();
    assertThat(state.batches()).as("entries per apply").anyMatch(size -> size > 1);
    assertThat(probes).allMatch(probe -> probe.completions() == 1);
  }

  @Test
  void shouldRetainNothingOfACompletedRead() throws Exception {
    Consensus consensus = lead(new ValuesState());
    get(propose(consensus, "a"));
    int buffered =
        ConsensusSettings.DEFAULT.queuedProposals(); // jraft's ring buffer retains the latest ones
    List<WeakReference<?>> reads = new ArrayList<>();
    for (int i = 0; i < 4 * buffered; i++) {
      CompletableFuture<Long> read = consensus.readIndex();
      assertThat(read.get(20, TimeUnit.SECONDS)).isPositive();
      reads.add(new WeakReference<>(read));
    }
    System.gc();
    long kept = reads.stream().filter(read -> read.get() != null).count();
    assertThat(kept).isLessThanOrEqualTo(2L * buffered);
  }

  @Test
  void shouldReplayOnlyEntriesMissingInTheStateWhenReopened() throws Exception {
    ValuesState state = new ValuesState();
    try (Consensus consensus = lead(state)) {
      get(propose(consensus, "a"));
      get(propose(consensus, "b"));
      consensus.checkpoint().get(20, TimeUnit.SECONDS);
      get(propose(consensus, "c"));
    }
    host.close();
    host = open();
    ValuesState later = state.reopened();
    assertThat(later.values()).containsExactly("a", "b");
    lead(later);
    assertThat(later.values()).containsExactly("a", "b", "c");
    assertThat(later.indexes()).hasSize(1);
  }

  @Test
  void shouldDropTheLogWhenCheckpointsCoverIt() throws Exception {
    ValuesState state = new ValuesState();
    Consensus consensus = lead(state);
    long last = 0;
    for (int round = 0; round < 3; round++) {
      last = get(propose(consensus, "r" + round));
      assertThat(consensus.checkpoint().get(20, TimeUnit.SECONDS)).isEqualTo(last);
    }
    long kept = last - 1;
    Await.until(
        "log before the second-to-last checkpoint is truncated",
        () -> consensus.status().firstIndex() >= kept);
    consensus.close();
    ValuesState later = state.reopened();
    lead(later);
    assertThat(later.values()).containsExactly("r0", "r1", "r2");
    assertThat(later.indexes()).isEmpty();
  }

  @Test
  void shouldRefuseToOpenWhenAcknowledgedEntriesAreDamaged() throws Exception {
    Consensus consensus = lead(new ValuesState());
    for (int i = 0; i < 20; i++) {
      get(propose(consensus, "value-" + i + "-" + "x".repeat(1_000)));
    }
    host.close();
    damage("value-10-");
    host = open();
    assertThatThrownBy(() -> host.open(GROUP, new ValuesState()))
        .isInstanceOf(ConsensusException.class)
        .hasMessageContaining("has acknowledged entries up to index 21")
        .hasMessageContaining("log.ends");
    host.close();

    // The remedy in the message for nodes without a backup.
    Files.delete(directory.resolve("log.ends"));
    host = open();
    ValuesState remaining = new ValuesState();
    lead(remaining);
    assertThat(remaining.values()).hasSizeBetween(1, 10);
  }

  /** Changes a byte of the write-ahead log file shortly after a text. */
  private void damage(String text) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("log"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".log")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
        if (at >= 0) {
          bytes[at + 50] ^= 1;
          Files.write(file, bytes);
        }
      }
    }
  }

  @Test
  void shouldRaiseTheTermWhenReopened() throws Exception {
    long first;
    try (Consensus consensus = lead(new ValuesState())) {
      first = consensus.leadership().term();
    }
    host.close();
    host = open();
    Consensus consensus = lead(new ValuesState());
    assertThat(consensus.leadership().term()).isGreaterThan(first);
    assertThat(consensus.leadership().leader()).isEqualTo(SELF);
  }

  @Test
  void shouldRejectProposalsOfAnotherTerm() throws Exception {
    Consensus consensus = lead(new ValuesState());
    ProbeProposal probe = new ProbeProposal();
    consensus.propose(consensus.leadership().term() + 1, new byte[1], probe);
    assertKind(probe, Kind.NOT_LEADER);
  }

  @Test
  void shouldCompleteEachProposalOnceWhenClosedWithProposalsInFlight() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    ValuesState state = new ValuesState().gatedBy(gate);
    Consensus consensus = lead(state);
    List<ProbeProposal> probes = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      probes.add(propose(consensus, "v" + i));
    }
    Thread closer = new Thread(consensus::close);
    closer.start();
    gate.countDown();
    closer.join();
    assertThat(probes).allMatch(probe -> probe.outcome.isDone());
    assertThat(probes).allMatch(probe -> probe.completions() == 1);
    long applied = probes.stream().filter(p -> !p.outcome.isCompletedExceptionally()).count();
    assertThat((long) state.values().size()).isGreaterThanOrEqualTo(applied);
    assertKind(propose(consensus, "late"), Kind.CLOSED);
  }

  @Test
  void shouldHaltOnceWhenApplyThrows() throws Exception {
    ValuesState state = new ValuesState().poisonedBy("poison");
    Consensus consensus = lead(state);
    get(propose(consensus, "good"));
    propose(consensus, "poison");
    List<ProbeProposal> behind = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      behind.add(propose(consensus, "behind"));
    }
    Await.until("halted", () -> state.halts() > 0);
    assertKind(propose(consensus, "more"), Kind.FAILED);
    assertThat(consensus.status().leadership().leading()).isFalse(); // does not throw
    consensus.close();
    assertThat(state.halts()).isEqualTo(1);
    assertThat(state.haltCause()).hasRootCauseMessage("poisoned by poison");
    assertThat(state.values()).containsExactly("good");
    assertThat(state.events()).containsExactly("leading", "following", "halted");
    ValuesState fixedState = new ValuesState();
    lead(fixedState);
    assertThat(fixedState.values()).startsWith("good", "poison");
    assertThat(behind)
        .allMatch(
            probe -> probe.isPassedToState() ? probe.completions() == 0 : probe.completions() == 1);
  }

  @Test
  void shouldHaltWhenTheStateCannotLead() throws Exception {
    ValuesState state = new ValuesState().refusingToLead();
    Consensus consensus = host.open(GROUP, state);
    Await.until("halted", () -> state.halts() > 0);
    assertKind(propose(consensus, "a"), Kind.FAILED);
    consensus.close();
    assertThat(state.halts()).isEqualTo(1);
    assertThat(state.haltCause()).hasRootCauseMessage("cannot lead");
  }

  @Test
  void shouldFinishClosingWhenACheckpointNeverCompletes() throws Exception {
    ValuesState state = new ValuesState();
    state.withholdCheckpoints();
    Consensus consensus = lead(state);
    get(propose(consensus, "a"));
    var checkpoint = consensus.checkpoint();
    Await.until("checkpoint requested", () -> state.withheld() != null);
    consensus.close();
    assertThatThrownBy(() -> checkpoint.get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            ConsensusException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CLOSED));
    requireNonNull(state.withheld()).onDurable();
  }

  @Test
  void shouldReadItsOwnWritesWhenAReadIndexCompletes() throws Exception {
    Consensus consensus = lead(new ValuesState());
    long index = get(propose(consensus, "a"));
    assertThat(consensus.readIndex().get(20, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(index);
    assertThat(consensus.status().appliedIndex()).isGreaterThanOrEqualTo(index);
    assertThat(consensus.status().replicas()).isEqualTo(ReplicaSet.ofVoters(SELF));
  }

  /** jraft would start one at the first read; it then wakes up a thousand times a second. */
  @Test
  void shouldLeaveNoTimerAfterAReadIndex() throws Exception {
    lead(new ValuesState()).readIndex().get(20, TimeUnit.SECONDS);
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.contains("read-index.timeout"));
  }

  @Test
  void shouldDeleteTheGroupWhenDestroyed() throws Exception {
    try (Consensus consensus = lead(new ValuesState())) {
      get(propose(consensus, "a"));
      assertThatThrownBy(() -> host.destroy(GROUP)).hasMessageContaining("close group");
    }
    host.destroy(GROUP);
    assertThat(host.groups()).isEmpty();
    assertThatThrownBy(() -> host.open(GROUP, new ValuesState()))
        .hasMessageContaining("create it first");
    host.create(GROUP, ReplicaSet.ofVoters(SELF));
    ValuesState empty = new ValuesState();
    lead(empty);
    assertThat(empty.values()).isEmpty();
  }

  @Test
  void shouldKeepGroupsApartWhenTheyShareTheLog() throws Exception {
    GroupId other = new GroupId("inbox-2");
    host.create(other, ReplicaSet.ofVoters(SELF));
    assertThat(host.groups()).containsExactlyInAnyOrder(GROUP, other);
    ValuesState one = new ValuesState();
    ValuesState two = new ValuesState();
    Consensus first = lead(one);
    Consensus second = host.open(other, two);
    Await.until("second leads", () -> second.leadership().leading());
    get(propose(first, "one"));
    get(propose(second, "two"));
    assertThat(one.values()).containsExactly("one");
    assertThat(two.values()).containsExactly("two");
  }

  @Test
  void shouldExplainWhatToDoWhenTheLogIsInUse() {
    assertThatThrownBy(this::open)
        .isInstanceOf(ConsensusException.class)
        .hasMessageContaining("in use")
        .hasMessageContaining(directory.toString());
  }

  @Test
  void shouldRefuseToOpenWhenTheStateLacksTruncatedEntries() throws Exception {
    ValuesState state = new ValuesState();
    try (Consensus consensus = lead(state)) {
      get(propose(consensus, "a"));
      consensus.checkpoint().get(20, TimeUnit.SECONDS);
    }
    assertThatThrownBy(() -> host.open(GROUP, new ValuesState()))
        .isInstanceOf(ConsensusException.class)
        .hasMessageContaining("empty data directory");
  }

  @Test
  void shouldRefuseToOpenWhenTheLogLacksAppliedEntries() throws Exception {
    ValuesState state = new ValuesState();
    try (Consensus consensus = lead(state)) {
      get(propose(consensus, "a"));
      consensus.checkpoint().get(20, TimeUnit.SECONDS);
    }
    host.destroy(GROUP);
    host.create(GROUP, ReplicaSet.ofVoters(SELF));
    assertThatThrownBy(() -> host.open(GROUP, state.reopened()))
        .isInstanceOf(ConsensusException.class)
        .hasMessageContaining("the log ends at index 0");
  }

  @Test
  void shouldRejectProposalsBeyondTheLimit() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Consensus consensus = lead(new ValuesState().gatedBy(gate));
    int allowed = ConsensusSettings.DEFAULT.queuedProposals();
    List<ProbeProposal> probes = new ArrayList<>();
    for (int i = 0; i < 3 * allowed; i++) {
      probes.add(propose(consensus, "v" + i));
    }
    List<ProbeProposal> refused =
        probes.stream().filter(p -> p.outcome.isCompletedExceptionally()).toList();
    assertThat(refused).isNotEmpty();
    for (ProbeProposal probe : refused) {
      assertKind(probe, Kind.BUSY);
    }
    gate.countDown();
    probes.removeAll(refused);
    for (ProbeProposal probe : probes) {
      get(probe);
    }
    get(propose(consensus, "after the queue has drained"));
  }

  @Test
  void shouldRefuseAnEntryThatIsTooLarge() throws Exception {
    Consensus consensus = lead(new ValuesState());
    byte[] large = new byte[ConsensusSettings.DEFAULT.maxEntryBytes() + 1];
    assertThatThrownBy(() -> consensus.propose(1, large, new ProbeProposal()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldNotifyTheObserverWhenItLeadsAppendsAndHalts() throws Exception {
    List<String> notifications = java.util.Collections.synchronizedList(new ArrayList<>());
    host.close();
    host =
        JRaftHost.open(
            SELF,
            directory,
            ConsensusSettings.DEFAULT,
            new ConsensusObserver() {
              @Override
              public void onAppended(GroupId group, int entries, long bytes, long nanos) {
                notifications.add("appended");
              }

              @Override
              public void onElected(GroupId group, long term) {
                notifications.add("elected");
              }

              @Override
              public void onStepDown(GroupId group) {
                notifications.add("stepped down");
              }

              @Override
              public void onHalted(GroupId group, ConsensusException cause) {
                notifications.add("halted");
              }
            });
    ValuesState state = new ValuesState().poisonedBy("poison");
    try (Consensus consensus = lead(state)) {
      Await.until("leadership reported", () -> notifications.contains("elected"));
      propose(consensus, "poison");
      Await.until("halted", () -> state.halts() == 1);
    }
    assertThat(notifications).startsWith("appended", "elected").endsWith("stepped down", "halted");
  }

  private static void assertKind(ProbeProposal probe, Kind kind) {
    assertThatThrownBy(() -> get(probe))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            ConsensusException.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }
}
