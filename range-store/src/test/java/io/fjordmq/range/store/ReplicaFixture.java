package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.ClusterClock;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.range.EffectListener;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvSpace;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One replica whose group is simulated by the test, which decides when an entry is committed. */
final class ReplicaFixture implements Consensus {
  static final RangeId ID = new RangeId("words", 1);

  final SimKv.Disk disk = new SimKv.Disk();
  final SimKv kv = new SimKv(disk, Runnable::run);
  final KvSpace space = kv.space("words");
  final ManualTimers clock = new ManualTimers();
  final List<Object> effects = new ArrayList<>();
  boolean listenerIsBroken;
  final List<RangeId> ledRanges = new ArrayList<>();
  final List<UncommittedProposal> proposals = new ArrayList<>();
  final List<RangeId> haltedRanges = new ArrayList<>();
  final CreatedGroups groups = new CreatedGroups();
  final ReplicaLoad load = new ReplicaLoad();
  final List<RangeDescriptor> createdRanges = new ArrayList<>();
  final List<RangeId> absorbedRanges = new ArrayList<>();
  final SliceHashes sliceHashes;
  private final Path directory;
  private final RangeStoreSettings settings;
  RangeReplica replica;
  ReplicaSet voters = ReplicaSet.ofVoters(new NodeId("a"));

  /** Completes when reads are confirmed. */
  CompletableFuture<Long> reads = CompletableFuture.completedFuture(0L);

  /** Runs queries. */
  Executor queryThreads = Runnable::run;

  /** Whether the cluster time is currently unknown. */
  boolean timeUnknown;

  /** How far the stamped cluster time is ahead. */
  long aheadMillis;

  /** The level at which this replica proposes, and the levels that it supports. */
  int currentLevel = 1;

  SupportedLevels supported = SupportedLevels.FIRST_ONLY;

  private final ClusterLevel level =
      new ClusterLevel() {
        @Override
        public int current() {
          return currentLevel;
        }

        @Override
        public SupportedLevels supported() {
          return supported;
        }
      };

  /** Runs during the next query. */
  Runnable duringQuery = () -> {};

  private long lastIndex;

  private final EffectListener listener =
      new EffectListener() {
        @Override
        public void onEffects(RangeId range, List<Object> emitted) {
          effects.addAll(emitted);
        }

        @Override
        public void onLeaderStart(RangeId range) {
          ledRanges.add(range);
          if (listenerIsBroken) {
            throw new IllegalStateException("a listener's bug");
          }
        }
      };

  /** A proposal of the replica to its group. */
  record UncommittedProposal(long term, byte[] entry, Proposal proposal) {}

  ReplicaFixture(Path directory) throws IOException {
    this.directory = directory;
    this.settings =
        RecordBuilder.from(RangeStoreSettings.DEFAULTS)
            .with(RangeStoreSettings::maxEntryBytes, 4096)
            .with(RangeStoreSettings::maxWriteBytes, 4096)
            .with(RangeStoreSettings::maxSenders, 3)
            .with(RangeStoreSettings::checkpointInterval, Duration.ofSeconds(30))
            .with(RangeStoreSettings::checkpointLogBytes, 1 << 20)
            .with(RangeStoreSettings::reopenBackoff, Duration.ofSeconds(1))
            .with(RangeStoreSettings::maxReopenBackoff, Duration.ofSeconds(30))
            .build();
    this.sliceHashes = new SliceHashes(Map.of(), settings, clock, Runnable::run);
    KvBatch batch = new KvBatch();
    RangeState.create(descriptor(KeyInterval.ALL), batch);
    space.write(batch);
    replica = reopen();
  }

  static RangeDescriptor descriptor(KeyInterval interval) {
    return new RangeDescriptor(
        ID, interval, RangeEpoch.FIRST, ReplicaSet.ofVoters(new NodeId("a")));
  }

  RangeReplica reopen() throws IOException {
    replica = open(ID);
    return replica;
  }

  /** Opens another replica on the same node; the test keeps its log. */
  RangeReplica open(RangeId id) throws IOException {
    RangeRuntime runtime =
        new RangeRuntime(
            () -> timeUnknown ? ClusterClock.UNKNOWN : clock.millis() + aheadMillis,
            level,
            clock,
            query -> queryThreads.execute(query),
            Runnable::run,
            Runnable::run);
    ReplicaDependencies dependencies =
        new ReplicaDependencies(
            new NodeId("a"),
            kv,
            directory,
            settings,
            runtime,
            RangeObserver.NONE,
            load,
            listener,
            groups,
            new ReplicaDependencies.RangeLifecycleListener() {
              @Override
              public void onRangeCreated(RangeDescriptor range, boolean lead) {
                createdRanges.add(range);
              }

              @Override
              public void onRangeAbsorbed(RangeId range) {
                absorbedRanges.add(range);
              }
            },
            new RebuildLimit(() -> 0, ReplicaFixture::failOnRebuild, RangeObserver.NONE),
            sliceHashes,
            haltedRanges::add);
    RangeReplica opened = RangeReplica.open(id, space, new InterruptedCoprocessor(), dependencies);
    opened.attach(this);
    return opened;
  }

  private final class InterruptedCoprocessor extends AppendingCoprocessor {
    @Override
    public byte[] query(ByteBuffer query, KvReader state) {
      Runnable now = duringQuery;
      duringQuery = () -> {};
      now.run();
      return super.query(query, state);
    }
  }

  /** Installs snapshots on a disk that fails after a number of writes. */
  SnapshotInstaller installerFailingAfter(int writes) {
    return new SnapshotInstaller(
        ID,
        new FailingSpace(space, writes),
        kv,
        directory,
        new RangeSplit(new NodeId("a"), groups, space));
  }

  static byte[] mutations(long sender, long number, String... commands) {
    return mutations(sender, number, 1_000, commands);
  }

  static byte[] mutations(long sender, long number, int maxBatchResponseBytes, String... commands) {
    return RangeEntry.encodeMutations(
        1,
        sender,
        number,
        maxBatchResponseBytes,
        Arrays.stream(commands).map(c -> c.getBytes(UTF_8)).toList());
  }

  /**
   * Proposes through the replica, which must lead; the result is available after {@link
   * #commitAll}.
   */
  List<RangeResult> propose(byte[] entry) {
    List<RangeResult> results = new ArrayList<>();
    replica.propose(entry, results::add);
    return results;
  }

  /** Like {@link #propose(byte[])}, for an entry that another node has encoded. */
  List<RangeResult> proposeReceived(byte[] entry) {
    List<RangeResult> results = new ArrayList<>();
    replica.proposeReceived(entry, results::add);
    return results;
  }

  /** Commits and applies all proposals at once. */
  void commitAll() {
    List<CommittedEntry> entries = new ArrayList<>();
    for (UncommittedProposal one : proposals) {
      entries.add(entry(++lastIndex, one.entry(), one.proposal()));
    }
    proposals.clear();
    replica.apply(entries);
  }

  static CommittedEntry entry(long index, byte[] data, @Nullable Proposal proposal) {
    return new CommittedEntry(index, 1, ByteBuffer.wrap(data).asReadOnlyBuffer(), proposal);
  }

  RangeResult execute(byte[] entry) {
    List<RangeResult> results = propose(entry);
    commitAll();
    return results.get(0);
  }

  long register() {
    return ((RangeResult.Registered) execute(RangeEntry.encodeRegister())).sender();
  }

  String value(String key) {
    List<RangeResult> results = new ArrayList<>();
    Consumer<RangeResult> reply = results::add;
    replica.query(1, 0, key.getBytes(UTF_8), reply);
    return new String(((RangeResult.Success) results.get(0)).response(), UTF_8);
  }

  static List<String> responses(RangeResult result) {
    return ((RangeResult.Applied) result)
        .responses().stream().map(response -> new String(response, UTF_8)).toList();
  }

  @Override
  public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
    proposals.add(new UncommittedProposal(expectedTerm, entry, proposal));
  }

  @Override
  public GroupId group() {
    return new GroupId(ID.toString());
  }

  @Override
  public Leadership leadership() {
    return new Leadership(1, new NodeId("elsewhere"), false);
  }

  @Override
  public CompletableFuture<Long> readIndex() {
    return reads;
  }

  @Override
  public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
    return CompletableFuture.failedFuture(notSupported());
  }

  @Override
  public CompletableFuture<Void> transferLeadership(NodeId target) {
    return CompletableFuture.failedFuture(notSupported());
  }

  private static ConsensusException notSupported() {
    return new ConsensusException(ConsensusException.Kind.FAILED, "one replica only");
  }

  @Override
  public void campaign() {}

  @Override
  public CompletableFuture<Long> checkpoint() {
    return CompletableFuture.completedFuture(lastIndex);
  }

  @Override
  public GroupStatus status() {
    return new GroupStatus(leadership(), voters, 1, lastIndex, lastIndex, lastIndex);
  }

  @Override
  public void close() {}

  private static SupervisedReplica failOnRebuild(RangeId range) {
    throw new AssertionError("unexpected rebuild of " + range);
  }
}
