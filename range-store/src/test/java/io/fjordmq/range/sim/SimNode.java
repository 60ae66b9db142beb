package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimDisk;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A node with replicas of all ranges, which can crash and restart. */
final class SimNode {
  /** First byte of the store's rows, as opposed to the engine's. */
  static final byte DATA = 1;

  /** First byte of coprocessor rows that are compared but hold no words. */
  static final byte NOT_A_KEY = '~';

  private static final int MAX_SENDERS = 4;

  private final SimCluster cluster;
  private final NodeId id;
  private final StoreSpec spec;
  private final List<RangeDescriptor> ranges;
  private final Path installDirectory;
  private final RangeStoreSettings settings;
  private final WordHistory history;
  private final SimCounts counts;
  private final SimKv.Disk disk = new SimKv.Disk();
  private SimKv kv;
  private @Nullable RangeStore store;

  /** When each group was created by a split. */
  private final Map<GroupId, Long> splitOffMillis = new HashMap<>();

  /** A defect: a crash loses the groups of new ranges, as if they had not been synced. */
  private boolean forgetsGroups;

  /** Completes flushes synchronously; for code that waits for them. */
  private boolean flushImmediately;

  SimNode(
      SimCluster cluster,
      NodeId id,
      StoreSpec spec,
      List<RangeDescriptor> ranges,
      Path installDirectory,
      WordHistory history,
      SimCounts counts) {
    this.cluster = cluster;
    this.id = id;
    this.spec = spec;
    this.ranges = ranges;
    this.history = history;
    this.counts = counts;
    this.kv = new SimKv(disk, Runnable::run);
    this.installDirectory = installDirectory.resolve(id.value());
    this.settings =
        RecordBuilder.from(RangeSimSettings.STORE)
            .with(RangeStoreSettings::maxSenders, MAX_SENDERS)
            .build();
  }

  NodeId id() {
    return id;
  }

  void start() throws IOException {
    SimHost host = cluster.start(id);
    SimProcess process = host.process();
    kv = new SimKv(disk, flush -> flush(process, flush));
    RangeRuntime runtime =
        new RangeRuntime(
            process.simulation().clock(),
            SimTimers.of(process),
            query -> process.schedule(process.simulation().between(0, 3), query),
            Runnable::run,
            Runnable::run);
    flushImmediately = true;
    RangeStore opened =
        RangeStore.open(
            id,
            new WatchedHost(host),
            kv,
            List.of(spec),
            installDirectory,
            settings,
            runtime,
            counts);
    opened.createInitialRanges(ranges);
    flushImmediately = false;
    SimTransport.serve(cluster.network(), id, opened.transportForOtherNodes());
    store = opened;
  }

  private void flush(SimProcess process, Runnable flush) {
    if (flushImmediately) {
      flush.run();
    } else {
      process.schedule(process.simulation().between(0, 30), flush);
    }
  }

  void forgetGroups() {
    forgetsGroups = true;
  }

  boolean isRunning() {
    return store != null;
  }

  RangeStore store() {
    RangeStore running = store;
    if (running == null) {
      throw new IllegalStateException(id + " is not running");
    }
    return running;
  }

  /** Crashes; the state storage loses some of the writes that it has not flushed. */
  void crash() {
    cluster.crash(id);
    store = null;
    if (forgetsGroups) {
      forgetNewGroups();
    }
    kv.kill();
    disk.failWith(null);
    disk.crash(unflushed -> (int) cluster.simulation().between(0, unflushed));
  }

  private void forgetNewGroups() {
    SimDisk logs = cluster.disk(id);
    splitOffMillis.values().removeIf(at -> at < cluster.simulation().now() - 1000);
    for (GroupId group : splitOffMillis.keySet()) {
      logs.entriesWithPrefix("raft/" + group + "/").keySet().forEach(logs::remove);
    }
    logs.syncNow();
  }

  void failDisk(boolean fail) {
    disk.failWith(fail ? new KvException(KvException.Kind.DISK_FULL, "simulated") : null);
  }

  /** Compares a replica's rows with the recorded history. */
  private void checkReplica(GroupId group) {
    RangeDescriptor range = StoredRanges.of(kv, spec.name()).get(group);
    if (range == null && StoredRanges.isAbsorbed(kv, StoredRanges.idOf(group))) {
      return; // another range holds its keys, regardless of its log
    } else if (range == null) {
      throw new AssertionError(id + " has no descriptor of " + group);
    }
    long[] applied = new long[1];
    CRC32C digest = new CRC32C();
    kv.space(spec.name())
        .latest()
        .scan(
            new byte[0],
            null,
            (row, value) -> {
              if (row[0] == DATA) {
                byte[] key = Arrays.copyOfRange(row, 1, row.length);
                // All keys: what this replica applied before a split belongs to another replica
                // after it.
                if (key[0] != NOT_A_KEY) {
                  history.onReplicaValue(new String(key, UTF_8), new String(value, UTF_8));
                }
                if (!range.interval().contains(key)) {
                  return true;
                }
              } else if (ByteBuffer.wrap(row).getLong(1) != range.id().number()) {
                return true;
              } else if (row[9] == 2) {
                applied[0] = ByteBuffer.wrap(value).getLong(1);
              }
              digest.update(row);
              digest.update(value);
              return true;
            });
    history.checkDigest(group, applied[0], digest.getValue());
  }

  /** Whether its replicas together hold every key. */
  boolean coversAllKeys() {
    return StoredRanges.coverAllKeys(store().descriptors(spec.name()));
  }

  /** Checks the state of every replica after each change. */
  private final class WatchedHost implements ConsensusHost {
    private final SimHost host;

    WatchedHost(SimHost host) {
      this.host = host;
    }

    @Override
    public Set<GroupId> groups() {
      return host.groups();
    }

    @Override
    public void create(GroupId group, ReplicaSet members) {
      host.create(group, members);
    }

    @Override
    public void create(GroupId group, ReplicaSet members, long appliedIndex) {
      host.create(group, members, appliedIndex);
      if (store != null) {
        splitOffMillis.put(group, cluster.simulation().now());
      }
    }

    @Override
    public Consensus open(GroupId group, ReplicatedState state) {
      return host.open(group, new WatchedState(group, state));
    }

    @Override
    public void destroy(GroupId group) {
      host.destroy(group);
    }

    @Override
    public void close() {
      host.close();
    }
  }

  private final class WatchedState implements ReplicatedState {
    private final GroupId group;
    private final ReplicatedState state;

    WatchedState(GroupId group, ReplicatedState state) {
      this.group = group;
      this.state = state;
    }

    @Override
    public long appliedIndex() {
      return state.appliedIndex();
    }

    @Override
    public void apply(List<CommittedEntry> entries) {
      state.apply(entries);
      history.check(() -> checkReplica(group));
    }

    @Override
    public void onLeaderStart(long term) {
      state.onLeaderStart(term);
    }

    @Override
    public void onLeaderStop() {
      state.onLeaderStop();
    }

    @Override
    public void checkpoint(CheckpointRequest request) {
      state.checkpoint(request);
    }

    @Override
    public long export(Path directory) throws IOException {
      return state.export(directory);
    }

    @Override
    public void install(Path directory) throws IOException {
      flushImmediately = true;
      try {
        state.install(directory);
      } finally {
        flushImmediately = false;
      }
      counts.onInstalled();
      history.check(() -> checkReplica(group));
    }

    @Override
    public void onHalted(ConsensusException cause) {
      state.onHalted(cause);
    }
  }
}
