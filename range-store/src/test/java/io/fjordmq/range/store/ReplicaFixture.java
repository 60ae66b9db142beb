package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.ClusterClock;
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
import io.fjordmq.range.sim.ManualTimers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One replica whose group is played by the test: it says when an entry is committed. */
final class ReplicaFixture implements Consensus {
  static final RangeId ID = new RangeId("words", 1);

  final SimKv.Disk disk = new SimKv.Disk();
  final SimKv kv = new SimKv(disk, Runnable::run);
  final KvSpace space = kv.space("words");
  final ManualTimers clock = new ManualTimers();
  final List<Object> effects = new ArrayList<>();
  boolean listenerIsBroken;
  final List<RangeId> led = new ArrayList<>();
  final List<Proposed> proposed = new ArrayList<>();
  final List<RangeId> halted = new ArrayList<>();
  final CreatedGroups groups = new CreatedGroups();
  final ReplicaLoad load = new ReplicaLoad();
  final List<RangeDescriptor> born = new ArrayList<>();
  final List<RangeId> absorbed = new ArrayList<>();
  private final RangeStoreSettings settings;
  RangeReplica replica;
  ReplicaSet voters = ReplicaSet.ofVoters(new NodeId("a"));

  /** What confirmed reads wait for. */
  CompletableFuture<Long> reads = CompletableFuture.completedFuture(0L);

  /** Cluster time is not known at the moment. */
  boolean knowsNoTime;

  /** How far the cluster time that is stamped is ahead. */
  long aheadMillis;

  /** Happens in the midst of the next query. */
  Runnable duringQuery = () -> {};

  private long lastIndex;

  private final EffectListener listener =
      new EffectListener() {
        @Override
        public void perform(RangeId range, List<Object> emitted) {
          effects.addAll(emitted);
        }

        @Override
        public void leading(RangeId range) {
          led.add(range);
          if (listenerIsBroken) {
            throw new IllegalStateException("a listener's bug");
          }
        }
      };

  /** What the replica offered to its group. */
  record Proposed(long term, byte[] entry, Proposal proposal) {}

  ReplicaFixture(Path directory) throws IOException {
    this.settings =
        new RangeStoreSettings(
            directory,
            4096,
            4096,
            3,
            Duration.ofSeconds(30),
            1 << 20,
            Duration.ofSeconds(1),
            Duration.ofSeconds(30));
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

  /** Another one of the same node, whose log the test has to keep. */
  RangeReplica open(RangeId id) throws IOException {
    RangeRuntime runtime =
        new RangeRuntime(
            () -> knowsNoTime ? ClusterClock.UNKNOWN : clock.millis() + aheadMillis,
            clock,
            Runnable::run,
            Runnable::run,
            Runnable::run);
    ReplicaParts parts =
        new ReplicaParts(
            new NodeId("a"),
            kv,
            settings,
            runtime,
            RangeObserver.NONE,
            load,
            listener,
            groups,
            new ReplicaParts.RangeLifecycleListener() {
              @Override
              public void rangeCreated(RangeDescriptor range, boolean lead) {
                born.add(range);
              }

              @Override
              public void rangeAbsorbed(RangeId range) {
                absorbed.add(range);
              }
            },
            new RebuildLimit(() -> 0, ReplicaFixture::noOther, RangeObserver.NONE),
            halted::add);
    RangeReplica opened = RangeReplica.open(id, space, new Interrupted(), parts);
    opened.attach(this);
    return opened;
  }

  private final class Interrupted extends AppendingCoprocessor {
    @Override
    public byte[] query(ByteBuffer query, KvReader state) {
      Runnable now = duringQuery;
      duringQuery = () -> {};
      now.run();
      return super.query(query, state);
    }
  }

  /** Installs copies on a disk that fails after so many writes. */
  ReplicaSnapshot installingUntil(int writes) {
    return new ReplicaSnapshot(
        ID,
        new FailingAfter(space, writes),
        kv,
        settings.installDirectory(),
        new RangeSplit(new NodeId("a"), groups, space));
  }

  static byte[] mutations(long sender, long number, String... commands) {
    return mutations(sender, number, 1_000, commands);
  }

  static byte[] mutations(long sender, long number, int enoughAnswerBytes, String... commands) {
    return RangeEntry.encodeMutations(
        1,
        sender,
        number,
        enoughAnswerBytes,
        Arrays.stream(commands).map(c -> c.getBytes(UTF_8)).toList());
  }

  /** Proposes through the replica, which must lead; the result comes with {@link #commitAll}. */
  List<RangeResult> propose(byte[] entry) {
    List<RangeResult> results = new ArrayList<>();
    replica.propose(entry, results::add);
    return results;
  }

  /** Everything proposed is committed and applied in one go. */
  void commitAll() {
    List<CommittedEntry> entries = new ArrayList<>();
    for (Proposed one : proposed) {
      entries.add(entry(++lastIndex, one.entry(), one.proposal()));
    }
    proposed.clear();
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
    return new String(((RangeResult.Answered) results.get(0)).answer(), UTF_8);
  }

  static List<String> answers(RangeResult result) {
    return ((RangeResult.Applied) result)
        .answers().stream().map(answer -> new String(answer, UTF_8)).toList();
  }

  @Override
  public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
    proposed.add(new Proposed(expectedTerm, entry, proposal));
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

  private static SupervisedReplica noOther(RangeId range) {
    throw new AssertionError("Nobody asks to rebuild " + range);
  }
}
