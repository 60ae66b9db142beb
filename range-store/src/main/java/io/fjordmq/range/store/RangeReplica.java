package io.fjordmq.range.store;

import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.membership.ClusterClock;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvSpace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open replica of a range: its group drives it, clients call it through {@link #propose} and
 * {@link #query}. It serves them only between {@link #onLeaderStart} and {@link #onLeaderStop}. A
 * halted replica is not used again; another one is opened in its place.
 */
final class RangeReplica implements ReplicatedState {
  private static final Logger LOG = LoggerFactory.getLogger(RangeReplica.class);

  private final RangeId id;
  private final KvSpace space;
  private final ReplicaDependencies dependencies;
  private final SnapshotInstaller installer;
  private final ReplicaListeners listeners;
  private final ReplicaView view;
  private final ReplicaQueries queries;
  private final Coprocessor coprocessor;
  private final ReplicaLoad load;
  private final RangeObserver observer;
  private final LongSupplier clusterTimeMillis;
  private final ClusterLevel level;
  private final int maxEntryBytes;
  private final int maxSenders;
  private final GroupCommit groupCommit;
  private final AtomicLong logBytesSinceCheckpoint = new AtomicLong();

  // Used by the apply thread.
  private RangeState state;
  private ApplyLoop loop;

  private RangeReplica(
      RangeId id,
      KvSpace space,
      ReplicaDependencies dependencies,
      Coprocessor coprocessor,
      SnapshotInstaller installer) {
    this.id = id;
    this.space = space;
    this.dependencies = dependencies;
    this.coprocessor = coprocessor;
    this.installer = installer;
    this.load = dependencies.load();
    this.observer = dependencies.observer();
    this.clusterTimeMillis = dependencies.runtime().clusterTimeMillis();
    this.level = dependencies.runtime().level();
    this.maxEntryBytes = dependencies.settings().maxEntryBytes();
    this.maxSenders = dependencies.settings().maxSenders();
    this.groupCommit =
        new GroupCommit(
            dependencies.settings().groupCommitInterval(),
            dependencies.runtime().timers(),
            this::proposeNow);
    this.state = RangeState.load(id, space.latest());
    this.view = new ReplicaView(id, dependencies.kv(), state);
    this.queries = new ReplicaQueries(id, view, space, coprocessor, dependencies);
    this.listeners = new ReplicaListeners(id, dependencies.effects());
    this.loop = newLoop();
  }

  /**
   * Loads a replica's state, and completes a snapshot installation that a crash interrupted.
   *
   * @throws MalformedBytesException if there is no such replica or its rows are damaged
   * @throws KvException if the storage fails
   * @throws IOException if an interrupted installation cannot be completed
   */
  static RangeReplica open(
      RangeId id, KvSpace space, Coprocessor coprocessor, ReplicaDependencies dependencies)
      throws IOException {
    SnapshotInstaller installer =
        new SnapshotInstaller(
            id,
            space,
            dependencies.kv(),
            dependencies.installDirectory(),
            new RangeSplit(dependencies.self(), dependencies.host(), space));
    report(installer.finishInstallation(), dependencies);
    RangeReplica replica = new RangeReplica(id, space, dependencies, coprocessor, installer);
    replica.openCoprocessor();
    return replica;
  }

  private static void report(
      SnapshotInstaller.InstallResult installed, ReplicaDependencies dependencies) {
    installed
        .skipped()
        .forEach(child -> dependencies.rangeLifecycleListener().onRangeCreated(child, false));
    installed.absorbed().forEach(dependencies.rangeLifecycleListener()::onRangeAbsorbed);
  }

  private ApplyLoop newLoop() {
    return new ApplyLoop(
        state,
        coprocessor,
        space,
        dependencies.settings().maxWriteBytes(),
        level.supported(),
        observer,
        load,
        new RangeSplit(dependencies.self(), dependencies.host(), space),
        new RangeMerge(),
        this::afterWrite);
  }

  private void openCoprocessor() {
    RangeDescriptor now = state.descriptor();
    if (state.needsSnapshot()) {
      return; // what the coprocessor derived from earlier rows is valid until new rows arrive
    }
    coprocessor.onAbsorbed(AbsorbedRange.absorbedNumbers(state.keys(), space.latest()));
    coprocessor.open(now.interval(), new DataReader(space.latest(), now.interval()));
    coprocessor.onApplied(state.appliedIndex());
  }

  /** Connects the replica to its open group; until then it serves no client. */
  void attach(Consensus group) {
    view.setGroup(group);
  }

  /** Closes the coprocessor. Must be called after the group is closed. */
  void close() {
    view.clearLeading();
    view.setGroup(null);
    groupCommit.flush();
    coprocessor.close();
  }

  // Called by clients on any thread.
  /**
   * Proposes an encoded {@link RangeEntry}; the reply comes on the apply thread, or immediately on
   * the calling thread. A batch that may be deferred can wait for others first ({@link
   * GroupCommit}).
   */
  void propose(byte[] entry, Consumer<RangeResult> reply) {
    groupCommit.submit(entry, reply);
  }

  private void proposeNow(byte[] entry, Consumer<RangeResult> reply) {
    Consensus group = view.group();
    long term = view.leadingTerm();
    if (group == null || term == ReplicaView.NOT_LEADING) {
      reply.accept(view.notServing());
      return;
    }
    if (entry.length > maxEntryBytes) {
      String tooLarge = "entry of %d bytes exceeds the maximum of %d";
      reply.accept(new RangeResult.Unavailable(tooLarge.formatted(entry.length, maxEntryBytes)));
      return;
    }
    long now = clusterTimeMillis.getAsLong();
    if (now == ClusterClock.UNKNOWN) {
      reply.accept(RangeRefusals.CLUSTER_TIME_UNKNOWN);
      return;
    }
    RangeEntry.stamp(entry, now, level.current(), maxSenders);
    group.propose(term, entry, new PendingEntry(reply, System.nanoTime()));
  }

  /**
   * Proposes an entry that another node has encoded, possibly in another version. The entry is
   * checked first, because every replica has to apply whatever is in the log.
   */
  void proposeReceived(byte[] entry, Consumer<RangeResult> reply) {
    try {
      RangeEntry.requireReadable(entry, coprocessor::requireReadable);
    } catch (MalformedBytesException e) {
      reply.accept(new RangeResult.Unavailable(String.valueOf(e.getMessage())));
      return;
    }
    propose(entry, reply);
  }

  /** Executes a query on a query thread, once this replica is confirmed as the leader. */
  void query(long epochVersion, long minIndex, byte[] query, Consumer<RangeResult> reply) {
    queries.query(epochVersion, minIndex, query, reply);
  }

  /** Completes once this replica has applied everything that is committed now. */
  CompletableFuture<Long> catchUp() {
    Consensus group = view.group();
    return group == null
        ? CompletableFuture.failedFuture(
            new ConsensusException(Kind.CLOSED, "the replica of range " + id + " is closed"))
        : group.readIndex();
  }

  RangeDescriptor descriptor() {
    return view.descriptor();
  }

  long logBytesSinceCheckpoint() {
    return logBytesSinceCheckpoint.get();
  }

  /** Returns why it halted; null while it runs. */
  @Nullable HaltReason halt() {
    return view.halt();
  }

  boolean isLeading() {
    return view.isLeading();
  }

  ReplicaStatus status() {
    return view.status(dependencies.self(), logBytesSinceCheckpoint.get());
  }

  // Called by the group, one thread at a time.

  @Override
  public long appliedIndex() {
    return view.appliedIndex();
  }

  @Override
  public void apply(List<CommittedEntry> entries) {
    long bytes = 0;
    for (CommittedEntry entry : entries) {
      bytes += entry.data().remaining();
    }
    loop.apply(entries);
    logBytesSinceCheckpoint.addAndGet(bytes);
  }

  private void afterWrite(ApplyLoop.CompletedWrite written) {
    if (written.comparison() != null) {
      dependencies
          .sliceHashes()
          .begin(view.descriptor(), written.appliedIndex(), written.comparison(), space);
    }
    view.setApplied(written.appliedIndex(), state.clockMillis());
    if (written.change() != null) {
      onRangeChanged(written.change());
    }
    coprocessor.onApplied(view.appliedIndex());
    view.setSenders(state.senders().size());
    if (view.isLeading() && !written.effects().isEmpty()) {
      listeners.perform(written.effects());
    }
    long nowNanos = System.nanoTime();
    for (ApplyLoop.Outcome outcome : written.outcomes()) {
      observer.onProposalApplied(id, nowNanos - outcome.pending().proposedNanos());
      listeners.onApplied(outcome);
    }
  }

  private void onRangeChanged(RangeChange change) {
    view.publish(state);
    load.reset();
    KeyInterval held = view.descriptor().interval();
    if (change instanceof RangeSplit.AppliedSplit split) {
      coprocessor.onNarrowed(held, new DataReader(space.latest(), held));
      RangeDescriptor right = split.right();
      LOG.info(
          "Range split range={} index={} child={} childKeys={}",
          id,
          view.appliedIndex(),
          right.id(),
          right.interval());
      observer.onSplit(id, right.id());
      if (split.hasReplica()) {
        dependencies.rangeLifecycleListener().onRangeCreated(right, view.isLeading());
      }
    } else if (change instanceof RangeMerge.AppliedMerge merge) {
      RangeId right = merge.right().id();
      openCoprocessor();
      LOG.info(
          "Ranges merged range={} absorbed={} index={} keys={}",
          id,
          right,
          view.appliedIndex(),
          held);
      observer.onMerge(id, right);
      dependencies.rangeLifecycleListener().onRangeAbsorbed(right);
      if (view.isLeading()) {
        listeners.onLeaderStart(); // now also of the absorbed keys
      }
    }
  }

  @Override
  public void onLeaderStart(long term) {
    view.setLeadingTerm(term);
    load.begin();
    LOG.info(
        "Became leader of a range range={} term={} appliedIndex={}", id, term, view.appliedIndex());
    listeners.onLeaderStart();
  }

  @Override
  public void onLeaderStop() {
    view.clearLeading();
    load.end();
    LOG.info("Lost leadership of a range range={}", id);
  }

  @Override
  public void checkpoint(CheckpointRequest request) {
    long covered = logBytesSinceCheckpoint.get();
    CompletableFuture<Void> flushed = dependencies.kv().flush();
    flushed.whenComplete(
        (done, error) -> {
          if (error == null) {
            logBytesSinceCheckpoint.addAndGet(-covered);
            request.onDurable();
          } else {
            request.onFailed(error instanceof Exception e ? e : new IOException(error));
          }
        });
  }

  @Override
  public long export(Path directory) throws IOException {
    return new ReplicaSnapshot(id, space).export(directory);
  }

  @Override
  public void install(Path directory) throws IOException {
    long before = view.appliedIndex();
    // Report it immediately: if a later step throws, nothing else would report it before the next
    // start.
    report(installer.install(directory), dependencies);
    state = RangeState.load(id, space.latest());
    loop = newLoop();
    view.publish(state);
    openCoprocessor();
    logBytesSinceCheckpoint.set(0);
    LOG.info("Installed a snapshot range={} index={} before={}", id, view.appliedIndex(), before);
  }

  @Override
  public void onHalted(ConsensusException cause) {
    view.clearLeading();
    load.end();
    view.setHaltReason(HaltReason.of(id, view.appliedIndex(), cause));
    observer.onHalted(id);
    dependencies.onHalted().accept(id);
  }
}
