package io.fjordmq.range.store;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.membership.ClusterClock;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open replica of a range: its group drives it, clients call it through {@link #propose} and
 * {@link #query}. A halted replica is not used again; another one is opened in its place.
 */
final class RangeReplica implements ReplicatedState {
  /*
   * It serves clients only between leading() and following(). A deposed leader may not know yet
   * that it has been deposed, so a query waits until the other voters have confirmed the leader; a
   * single voter needs no confirmation. A client also states up to which index it has seen answers.
   */
  private static final Logger LOG = LoggerFactory.getLogger(RangeReplica.class);
  private static final long NOT_LEADING = -1;

  private final RangeId id;
  private final KvSpace space;
  private final ReplicaParts parts;
  private final ReplicaSnapshot snapshots;
  private final ReplicaListeners listeners;
  private final FreezeFlag freezeFlag;
  private final Coprocessor coprocessor;
  private final AtomicLong logBytesSinceCheckpoint = new AtomicLong();

  // Written by the apply thread, except consensus.
  private RangeState state;
  private ApplyLoop loop;
  private volatile RangeDescriptor descriptor;
  private volatile List<RangeDescriptor> shape;
  private volatile long appliedIndex;
  private volatile long clockMillis;
  private volatile int senders;
  private volatile long leadingTerm = NOT_LEADING;
  private volatile @Nullable HaltReason haltReason;
  private volatile @Nullable Consensus consensus;

  private RangeReplica(
      RangeId id,
      KvSpace space,
      ReplicaParts parts,
      Coprocessor coprocessor,
      ReplicaSnapshot snapshots) {
    this.id = id;
    this.space = space;
    this.parts = parts;
    this.coprocessor = coprocessor;
    this.snapshots = snapshots;
    this.state = RangeState.load(id, space.latest());
    this.freezeFlag = new FreezeFlag(parts.kv());
    this.listeners = new ReplicaListeners(id, parts.effects());
    this.loop = newLoop();
    publishState();
  }

  /**
   * Loads a replica's state, and completes a snapshot installation that a crash interrupted.
   *
   * @throws MalformedBytesException if there is no such replica or its rows are damaged
   * @throws KvException if the storage fails
   * @throws IOException if an interrupted installation cannot be completed
   */
  static RangeReplica open(RangeId id, KvSpace space, Coprocessor coprocessor, ReplicaParts parts)
      throws IOException {
    ReplicaSnapshot snapshots =
        new ReplicaSnapshot(
            id,
            space,
            parts.kv(),
            parts.settings().installDirectory(),
            new RangeSplit(parts.self(), parts.host(), space));
    report(snapshots.finishInstallation(), parts);
    RangeReplica replica = new RangeReplica(id, space, parts, coprocessor, snapshots);
    replica.openCoprocessor();
    return replica;
  }

  private static void report(ReplicaSnapshot.Installed installed, ReplicaParts parts) {
    installed.skipped().forEach(child -> parts.rangeLifecycleListener().rangeCreated(child, false));
    installed.absorbed().forEach(parts.rangeLifecycleListener()::rangeAbsorbed);
  }

  private ApplyLoop newLoop() {
    return new ApplyLoop(
        state,
        coprocessor,
        space,
        parts.settings().maxWriteBytes(),
        parts.observer(),
        parts.load(),
        new RangeSplit(parts.self(), parts.host(), space),
        new RangeMerge(),
        this::afterWrite);
  }

  /** Shape first: it answers requests with a stale epoch. */
  private void publishState() {
    shape = state.shape();
    descriptor = state.descriptor();
    appliedIndex = state.appliedIndex();
    clockMillis = state.clockMillis();
    senders = state.senders().size();
    freezeFlag.set(state.frozen());
  }

  private void openCoprocessor() {
    RangeDescriptor now = state.descriptor();
    if (state.isVacant()) {
      return; // what the coprocessor derived from earlier rows stays valid until new ones come
    }
    coprocessor.absorbed(AbsorbedRange.parts(state.keys(), space.latest()));
    coprocessor.open(now.interval(), new DataReader(space.latest(), now.interval()));
    coprocessor.applied(state.appliedIndex());
  }

  /** Connects the replica to its open group; until then it serves no client. */
  void attach(Consensus group) {
    consensus = group;
  }

  /** Call it after the group is closed. */
  void close() {
    leadingTerm = NOT_LEADING;
    consensus = null;
    coprocessor.close();
  }

  // Clients: any thread.
  /** Proposes an encoded {@link RangeEntry}; the reply comes on the apply thread or at once. */
  void propose(byte[] entry, Consumer<RangeResult> reply) {
    Consensus group = consensus;
    long term = leadingTerm;
    if (group == null || term == NOT_LEADING) {
      reply.accept(notServing(group));
      return;
    }
    String refusal = ProposedEntry.refusal(entry, parts.settings().maxEntryBytes(), coprocessor);
    if (refusal != null) {
      reply.accept(new RangeResult.Unavailable(refusal));
      return;
    }
    long now = parts.runtime().stamps().getAsLong();
    if (now == ClusterClock.UNKNOWN) {
      reply.accept(RangeRefusals.NO_TIME);
      return;
    }
    RangeEntry.stamp(entry, now, parts.settings().maxSenders());
    group.propose(term, entry, new PendingEntry(reply, System.nanoTime()));
  }

  /** Answers a query on a query thread, once this replica is confirmed as the leader. */
  void query(long epochVersion, long leastIndex, byte[] query, Consumer<RangeResult> reply) {
    Consensus group = consensus;
    if (group == null || leadingTerm == NOT_LEADING) {
      reply.accept(notServing(group));
    } else if (group.status().replicas().voters().size() == 1) {
      answerLater(epochVersion, leastIndex, query, reply);
    } else {
      CompletableFuture<Long> confirmed = group.readIndex();
      confirmed.whenComplete(
          (index, failure) -> {
            if (failure == null) {
              answerLater(epochVersion, leastIndex, query, reply);
            } else {
              reply.accept(RangeRefusals.unconfirmed(id, failure));
            }
          });
    }
  }

  private void answerLater(
      long epochVersion, long leastIndex, byte[] query, Consumer<RangeResult> reply) {
    try {
      RangeRuntime runtime = parts.runtime();
      runtime.queries().execute(() -> reply.accept(answer(epochVersion, leastIndex, query)));
    } catch (RejectedExecutionException e) {
      reply.accept(new RangeResult.Busy("too many queries are waiting on this node"));
    }
  }

  private RangeResult answer(long epochVersion, long leastIndex, byte[] query) {
    long startNanos = System.nanoTime();
    RangeDescriptor now = descriptor;
    if (leadingTerm == NOT_LEADING || appliedIndex < leastIndex) {
      return notServing(consensus);
    }
    if (epochVersion != now.epoch().version()) {
      return new RangeResult.StaleEpoch(shape);
    } else if (freezeFlag.isSet()) {
      return FreezeRecord.BUSY; // the neighbour may have absorbed the keys
    }
    try (LazySnapshot snapshot = new LazySnapshot(space)) {
      byte[] answer =
          coprocessor.query(
              ByteBuffer.wrap(query).asReadOnlyBuffer(),
              new DataReader(snapshot, now.interval(), parts.load()));
      if (epochVersion != descriptor.epoch().version()) {
        return new RangeResult.StaleEpoch(shape); // a split may have hidden keys from it
      }
      parts.load().queried();
      parts.observer().queried(id, System.nanoTime() - startNanos);
      return new RangeResult.Answered(answer);
    } catch (KvException e) {
      return new RangeResult.StorageFailed(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      LOG.error("Query failed range={}", id, e);
      return new RangeResult.Unavailable("query failed: " + e);
    }
  }

  /** Completes once everything committed by now is applied here. */
  CompletableFuture<Long> catchUp() {
    Consensus group = consensus;
    return group == null
        ? CompletableFuture.failedFuture(
            new ConsensusException(Kind.CLOSED, "the replica of range " + id + " is closed"))
        : group.readIndex();
  }

  private RangeResult notServing(@Nullable Consensus group) {
    HaltReason halted = haltReason;
    return halted != null
        ? new RangeResult.Unavailable("replica of " + id + " is halted: " + halted.why())
        : new RangeResult.NotLeader(group == null ? null : group.leadership().leader());
  }

  RangeDescriptor descriptor() {
    return descriptor;
  }

  long logBytesSinceCheckpoint() {
    return logBytesSinceCheckpoint.get();
  }

  /** Why it halted; null while it runs. */
  @Nullable HaltReason halt() {
    return haltReason;
  }

  ReplicaStatus status() {
    Consensus group = consensus;
    HaltReason halted = haltReason;
    return new ReplicaStatus(
        parts.self(),
        descriptor,
        leadingTerm != NOT_LEADING,
        appliedIndex,
        clockMillis,
        logBytesSinceCheckpoint.get(),
        senders,
        group == null ? null : group.status(),
        freezeFlag.of(id),
        halted == null ? null : halted.why());
  }

  // The group: one thread at a time.

  @Override
  public long appliedIndex() {
    return appliedIndex;
  }

  @Override
  public void apply(List<CommittedEntry> entries) {
    long bytes = entries.stream().mapToLong(entry -> entry.data().remaining()).sum();
    loop.apply(entries);
    logBytesSinceCheckpoint.addAndGet(bytes);
  }

  private void afterWrite(ApplyLoop.Written written) {
    appliedIndex = written.appliedIndex();
    clockMillis = state.clockMillis();
    if (written.change() != null) {
      become(written.change());
    }
    coprocessor.applied(appliedIndex);
    senders = state.senders().size();
    if (leadingTerm != NOT_LEADING && !written.effects().isEmpty()) {
      listeners.perform(written.effects());
    }
    long nowNanos = System.nanoTime();
    for (ApplyLoop.Outcome outcome : written.outcomes()) {
      parts.observer().proposalApplied(id, nowNanos - outcome.pending().proposedNanos());
      listeners.answer(outcome);
    }
  }

  private void become(ShapeChange change) {
    publishState();
    parts.load().reshaped();
    KeyInterval held = descriptor.interval();
    if (change instanceof RangeSplit.Cut cut) {
      coprocessor.narrowed(held, new DataReader(space.latest(), held));
      RangeDescriptor right = cut.right();
      LOG.info(
          "Range split range={} index={} child={} childKeys={}",
          id,
          appliedIndex,
          right.id(),
          right.interval());
      parts.observer().split(id, right.id());
      if (cut.here()) {
        parts.rangeLifecycleListener().rangeCreated(right, leadingTerm != NOT_LEADING);
      }
    } else if (change instanceof RangeMerge.Widened widened) {
      RangeId right = widened.right().id();
      openCoprocessor();
      LOG.info(
          "Ranges merged range={} absorbed={} index={} keys={}", id, right, appliedIndex, held);
      parts.observer().merged(id, right);
      parts.rangeLifecycleListener().rangeAbsorbed(right);
      if (leadingTerm != NOT_LEADING) {
        listeners.leading(); // now also of the absorbed keys
      }
    }
  }

  @Override
  public void leading(long term) {
    leadingTerm = term;
    parts.load().begin();
    LOG.info("This node leads a range range={} term={} appliedIndex={}", id, term, appliedIndex);
    listeners.leading();
  }

  @Override
  public void following() {
    leadingTerm = NOT_LEADING;
    parts.load().end();
    LOG.info("This node no longer leads a range range={}", id);
  }

  @Override
  public void checkpoint(CheckpointRequest request) {
    long covered = logBytesSinceCheckpoint.get();
    CompletableFuture<Void> flushed = parts.kv().flush();
    flushed.whenComplete(
        (done, error) -> {
          if (error == null) {
            logBytesSinceCheckpoint.addAndGet(-covered);
            request.durable();
          } else {
            request.failed(error instanceof Exception e ? e : new IOException(error));
          }
        });
  }

  @Override
  public long export(Path directory) throws IOException {
    return snapshots.export(directory);
  }

  @Override
  public void install(Path directory) throws IOException {
    long before = appliedIndex;
    // At once: if a later step throws, nothing else would report it before the next start.
    report(snapshots.install(directory), parts);
    state = RangeState.load(id, space.latest());
    loop = newLoop();
    publishState();
    openCoprocessor();
    logBytesSinceCheckpoint.set(0);
    LOG.info("Installed a snapshot range={} index={} before={}", id, appliedIndex, before);
  }

  @Override
  public void halted(ConsensusException cause) {
    leadingTerm = NOT_LEADING;
    parts.load().end();
    haltReason = HaltReason.of(id, appliedIndex, cause);
    parts.observer().halted(id);
    parts.whenHalted().accept(id);
  }
}
