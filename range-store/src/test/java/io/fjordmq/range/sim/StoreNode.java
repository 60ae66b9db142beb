package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.remote.PeerRangeTransport;
import io.fjordmq.range.remote.RangeService;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A simulated node with replicas that serves them to other nodes over peer calls, crashes and
 * restarts.
 */
public final class StoreNode {
  private static final byte PROGRESS = 2;
  private static final byte SENDER = 3;

  private final SimCluster cluster;
  private final LoopbackPeers peers;
  private final NodeId id;
  private final Supplier<List<StoreSpec>> specs;
  private final Path installDirectory;
  private final BiFunction<SimHost, SimKv, ConsensusHost> watch;
  private final SimKv.Disk disk = new SimKv.Disk();
  private ClusterLevel level = ClusterLevel.first();
  private @Nullable RunningNode running;

  /** The components between a start and a crash. */
  public record RunningNode(
      SimHost host,
      SimKv kv,
      RangeStore store,
      RangeRuntime runtime,
      LoopbackPeers.Node calls,
      RangeTransport transport,
      AtomicReference<LongSupplier> stamps) {
    public SimProcess process() {
      return host.process();
    }

    /** Stamps entries with this time from now on, instead of the true time. */
    public void stampBy(LongSupplier time) {
      stamps.set(time);
    }
  }

  public StoreNode(
      SimCluster cluster,
      LoopbackPeers peers,
      NodeId id,
      List<StoreSpec> specs,
      Path installDirectory) {
    this(cluster, peers, id, () -> specs, installDirectory, (host, kv) -> host);
  }

  /**
   * @param specs called for the specs at each start
   * @param watch wraps the consensus host at each start
   */
  public StoreNode(
      SimCluster cluster,
      LoopbackPeers peers,
      NodeId id,
      Supplier<List<StoreSpec>> specs,
      Path installDirectory,
      BiFunction<SimHost, SimKv, ConsensusHost> watch) {
    this.cluster = cluster;
    this.peers = peers;
    this.id = id;
    this.specs = specs;
    this.installDirectory = installDirectory.resolve(id.value());
    this.watch = watch;
  }

  public NodeId id() {
    return id;
  }

  /** Stamps entries with another level from the next start on. */
  public void setLevel(ClusterLevel other) {
    level = other;
  }

  public RunningNode start() throws IOException {
    SimHost host = cluster.start(id);
    SimProcess process = host.process();
    SimKv kv = new SimKv(disk, Runnable::run);
    Timers timers = SimTimers.of(process);
    AtomicReference<LongSupplier> stamps =
        new AtomicReference<>(process.simulation().clock()::millis);
    RangeRuntime runtime =
        new RangeRuntime(
            () -> Objects.requireNonNull(stamps.get()).getAsLong(),
            level,
            timers,
            query -> process.schedule(process.simulation().between(0, 3), query),
            Runnable::run,
            Runnable::run);
    RangeStore store = open(watch.apply(host, kv), kv, runtime);
    LoopbackPeers.Node calls = peers.start(id, process);
    RangeService.serve(id, store.transportForOtherNodes(), calls);
    RangeTransport transport =
        store.transport(new PeerRangeTransport(calls, Duration.ofMillis(200)));
    RunningNode started = new RunningNode(host, kv, store, runtime, calls, transport, stamps);
    running = started;
    return started;
  }

  private RangeStore open(ConsensusHost host, SimKv kv, RangeRuntime runtime) throws IOException {
    RangeStoreSettings settings =
        RecordBuilder.from(RangeSimSettings.STORE).with(RangeStoreSettings::maxSenders, 64).build();
    return RangeStore.open(
        id, host, kv, specs.get(), installDirectory, settings, runtime, RangeObserver.NONE);
  }

  public boolean isUp() {
    return running != null;
  }

  public RunningNode running() {
    RunningNode current = running;
    if (current == null) {
      throw new IllegalStateException(id + " is down");
    }
    return current;
  }

  public RangeStore store() {
    return running().store();
  }

  /** Crashes; the state storage loses some of the writes that it has not flushed. */
  public void crash() {
    RunningNode stopping = running();
    cluster.crash(id);
    stopping.calls().stop();
    stopping.kv().kill();
    disk.crash(unflushed -> (int) cluster.simulation().between(0, unflushed));
    running = null;
  }

  public @Nullable ReplicaStatus status(RangeId range) {
    return store().status().stream()
        .filter(replica -> replica.descriptor().id().equals(range))
        .findFirst()
        .orElse(null);
  }

  /** The rows that all replicas of a range must have in common: data, progress and senders. */
  public Map<String, String> rows(RangeId range) {
    Map<String, String> rows = new TreeMap<>();
    ReplicaStatus replica = status(range);
    running()
        .kv()
        .space(range.store())
        .latest()
        .scan(
            new byte[0],
            null,
            (row, value) -> {
              boolean data =
                  row[0] == SimNode.DATA
                      && replica != null
                      && replica
                          .descriptor()
                          .interval()
                          .contains(Arrays.copyOfRange(row, 1, row.length));
              boolean engine =
                  row[0] != SimNode.DATA
                      && java.nio.ByteBuffer.wrap(row).getLong(1) == range.number()
                      && (row[9] == PROGRESS || row[9] == SENDER);
              if (data || engine) {
                rows.put(Arrays.toString(row), new String(value, UTF_8));
              }
              return true;
            });
    return rows;
  }
}
