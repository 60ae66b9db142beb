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
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.Timers;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeStoreSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A node with replicas of all ranges, that can crash and start again. */
final class SimNode {
  /** Of the engine's rows, those of the store begin with it. */
  static final byte DATA = 1;

  /** Rows of a coprocessor that begin with it are compared, but hold no words. */
  static final byte NOT_A_KEY = '~';

  private static final int MAX_SENDERS = 4;

  private final SimCluster cluster;
  private final NodeId id;
  private final StoreSpec spec;
  private final List<RangeDescriptor> ranges;
  private final RangeStoreSettings settings;
  private final WordHistory history;
  private final SimCounts counts;
  private final SimKv.Disk disk = new SimKv.Disk();
  private SimKv kv;
  private @Nullable RangeStore store;

  /** When a split has made which group. */
  private final Map<GroupId, Long> splitOff = new HashMap<>();

  /** A crash takes the groups of new ranges with it, as if nobody had synced them: a defect. */
  private boolean forgetsGroups;

  /** Flushes are done when asked for, instead of later; for code that waits for them. */
  private boolean flushAtOnce;

  SimNode(
      SimCluster cluster,
      NodeId id,
      StoreSpec spec,
      List<RangeDescriptor> ranges,
      Path installs,
      WordHistory history,
      SimCounts counts) {
    this.cluster = cluster;
    this.id = id;
    this.spec = spec;
    this.ranges = ranges;
    this.history = history;
    this.counts = counts;
    this.kv = new SimKv(disk, Runnable::run);
    this.settings =
        new RangeStoreSettings(
            installs.resolve(id.value()),
            1 << 20,
            4096,
            MAX_SENDERS,
            Duration.ofMillis(400),
            20_000,
            Duration.ofMillis(50),
            Duration.ofMillis(400));
  }

  NodeId id() {
    return id;
  }

  static Timers timers(SimProcess process) {
    return new Timers() {
      @Override
      public long nowMillis() {
        return process.simulation().now();
      }

      @Override
      public void schedule(long delayMillis, Runnable task) {
        process.schedule(delayMillis, task);
      }
    };
  }

  void start() throws IOException {
    SimHost host = cluster.start(id);
    SimProcess process = host.process();
    kv = new SimKv(disk, flush -> flush(process, flush));
    RangeRuntime runtime =
        new RangeRuntime(
            process.simulation().clock(),
            timers(process),
            query -> process.schedule(process.simulation().between(0, 3), query),
            Runnable::run,
            Runnable::run);
    flushAtOnce = true;
    RangeStore opened =
        RangeStore.open(id, new WatchedHost(host), kv, List.of(spec), settings, runtime, counts);
    opened.createInitialRanges(ranges);
    flushAtOnce = false;
    SimTransport.serve(cluster.network(), id, opened);
    store = opened;
  }

  private void flush(SimProcess process, Runnable flush) {
    if (flushAtOnce) {
      flush.run();
    } else {
      process.schedule(process.simulation().between(0, 30), flush);
    }
  }

  void forgetGroups() {
    forgetsGroups = true;
  }

  boolean running() {
    return store != null;
  }

  RangeStore store() {
    RangeStore running = store;
    if (running == null) {
      throw new IllegalStateException(id + " does not run");
    }
    return running;
  }

  /** Dies; of what the state storage has not flushed, it loses some. */
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
    splitOff.values().removeIf(at -> at < cluster.simulation().now() - 1000);
    for (GroupId group : splitOff.keySet()) {
      logs.withPrefix("raft/" + group + "/").keySet().forEach(logs::remove);
    }
    logs.syncNow();
  }

  void failDisk(boolean fail) {
    disk.failWith(fail ? new KvException(KvException.Kind.DISK_FULL, "simulated") : null);
  }

  /** Compares a replica's rows with what is known. */
  private void look(GroupId group) {
    RangeDescriptor range = StoredShapes.of(kv, spec.name()).get(group);
    if (range == null && StoredShapes.isAbsorbed(kv, StoredShapes.idOf(group))) {
      return; // whatever its log still says, another one has its keys
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
                // All keys: what this replica applied before a split is another one's after it.
                if (key[0] != NOT_A_KEY) {
                  history.replicaHas(new String(key, UTF_8), new String(value, UTF_8));
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
    history.digest(group, applied[0], digest.getValue());
  }

  /** Whether its replicas hold every key. */
  boolean holdsEverything() {
    return StoredShapes.areWhole(store().descriptors(spec.name()));
  }

  /** Looks at every replica's state after each change. */
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
        splitOff.put(group, cluster.simulation().now());
      }
    }

    @Override
    public Consensus open(GroupId group, ReplicatedState state) throws ConsensusException {
      return host.open(group, new WatchedState(group, state));
    }

    @Override
    public void destroy(GroupId group) throws ConsensusException {
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
      history.check(() -> look(group));
    }

    @Override
    public void leading(long term) {
      state.leading(term);
    }

    @Override
    public void following() {
      state.following();
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
      flushAtOnce = true;
      try {
        state.install(directory);
      } finally {
        flushAtOnce = false;
      }
      counts.installed();
      history.check(() -> look(group));
    }

    @Override
    public void halted(ConsensusException cause) {
      state.halted(cause);
    }
  }
}
