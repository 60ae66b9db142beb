package io.fjordmq.cluster.consensus.log;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.testing.Await;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.LoggerFactory;

/**
 * Measures the latency of proposals at a single voter, from the call to apply, with fsync. A main
 * program; its arguments: directory, entry bytes, in flight, seconds, groups.
 */
final class AppendBenchmark {
  private static final NodeId SELF = new NodeId("benchmark");

  private AppendBenchmark() {}

  /** Keeps no state; an applied proposal completes its slot. */
  private static final class DiscardingState implements ReplicatedState {
    @Override
    public long appliedIndex() {
      return 0;
    }

    @Override
    public void apply(List<CommittedEntry> entries) {
      for (CommittedEntry entry : entries) {
        if (entry.proposal() instanceof Slot slot) {
          slot.done();
        }
      }
    }

    @Override
    public void onLeaderStart(long term) {}

    @Override
    public void onLeaderStop() {}

    @Override
    public void checkpoint(CheckpointRequest request) {
      request.onDurable();
    }

    @Override
    public long export(Path directory) {
      throw new UnsupportedOperationException("a single voter exports nothing");
    }

    @Override
    public void install(Path directory) {
      throw new UnsupportedOperationException("a single voter installs nothing");
    }

    @Override
    public void onHalted(ConsensusException cause) {
      throw new IllegalStateException(cause);
    }
  }

  private record Slot(
      Semaphore permits, LongAdder applied, LongAdder failed, long since, long[] nanos)
      implements Proposal {
    void done() {
      nanos[(int) (applied.sum() % nanos.length)] = System.nanoTime() - since;
      applied.increment();
      permits.release();
    }

    @Override
    public void onFailed(ConsensusException cause) {
      failed.increment();
      permits.release();
    }
  }

  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory(Path.of(args[0]), "append");
    int bytes = Integer.parseInt(args[1]);
    int inFlight = Integer.parseInt(args[2]);
    int seconds = Integer.parseInt(args[3]);
    int groups = Integer.parseInt(args[4]);
    LongAdder syncs = new LongAdder();
    LongAdder syncNanos = new LongAdder();
    ConsensusObserver observer =
        new ConsensusObserver() {
          @Override
          public void onAppended(GroupId group, int entries, long size, long nanos) {
            syncs.increment();
            syncNanos.add(nanos);
          }
        };
    try (JRaftHost host = JRaftHost.open(SELF, directory, ConsensusSettings.DEFAULT, observer)) {
      long start = System.nanoTime();
      Consensus[] opened = new Consensus[groups];
      for (int i = 0; i < groups; i++) {
        GroupId id = new GroupId("g" + i);
        host.create(id, ReplicaSet.ofVoters(SELF));
        opened[i] = host.open(id, new DiscardingState());
      }
      for (Consensus one : opened) {
        Await.until("leads", () -> one.leadership().leading());
      }
      print("%d groups lead after %d ms", groups, (System.nanoTime() - start) / 1_000_000);
      run(opened, bytes, inFlight, seconds / 2);
      syncs.reset();
      syncNanos.reset();
      run(opened, bytes, inFlight, seconds);
      print(
          "%d writes, mean %d us", syncs.sum(), syncNanos.sum() / 1_000 / Math.max(1, syncs.sum()));
    } finally {
      SnapshotDirectories.deleteRecursively(directory);
    }
  }

  private static void run(Consensus[] groups, int bytes, int inFlight, int seconds)
      throws Exception {
    var system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    LongAdder applied = new LongAdder();
    LongAdder failed = new LongAdder();
    long[] nanos = new long[100_000];
    Semaphore permits = new Semaphore(inFlight);
    long cpu = system.getProcessCpuTime();
    long start = System.nanoTime();
    int next = 0;
    long checkpointed = start;
    while (System.nanoTime() - start < seconds * 1_000_000_000L) {
      permits.acquire();
      Consensus group = groups[next++ % groups.length];
      group.propose(
          group.leadership().term(),
          new byte[bytes],
          new Slot(permits, applied, failed, System.nanoTime(), nanos));
      if (System.nanoTime() - checkpointed > 1_000_000_000L) {
        checkpointed = System.nanoTime();
        for (Consensus one : groups) {
          one.checkpoint();
        }
      }
    }
    permits.acquire(inFlight);
    double elapsedSeconds = (System.nanoTime() - start) / 1e9;
    double micros = (system.getProcessCpuTime() - cpu) / 1e3;
    long[] sorted = Arrays.stream(nanos).filter(n -> n > 0).sorted().toArray();
    print(
        "%,.0f entries/s, %.1f MB/s, %.1f us CPU per entry, p50 %d us, p99 %d us, %d failed",
        applied.sum() / elapsedSeconds,
        applied.sum() * bytes / elapsedSeconds / 1e6,
        micros / Math.max(1, applied.sum()),
        sorted[sorted.length / 2] / 1_000,
        sorted[sorted.length * 99 / 100] / 1_000,
        failed.sum());
  }

  private static void print(String format, Object... values) {
    LoggerFactory.getLogger(AppendBenchmark.class).warn(String.format(format, values));
  }
}
