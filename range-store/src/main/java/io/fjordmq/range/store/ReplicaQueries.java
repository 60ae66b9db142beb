package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.common.Timers;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvSpace;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queries to an open replica. A deposed leader may not know yet that it has been deposed, so a
 * query waits until a majority of the voters has confirmed the leader; a single voter needs no
 * confirmation. The replica must also have applied the highest index that the client has seen in a
 * response. Called on any thread; executes queries on the query threads.
 *
 * <p>The client of a query that has waited for too long has sent it again or has given up. Such a
 * query is not executed: under load, it would only delay the queries behind it.
 */
final class ReplicaQueries {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaQueries.class);

  private final RangeId id;
  private final ReplicaView view;
  private final KvSpace space;
  private final Coprocessor coprocessor;
  private final ReplicaLoad load;
  private final RangeObserver observer;
  private final Executor queryThreads;
  private final Timers timers;
  private final long maxWaitMillis;

  ReplicaQueries(
      RangeId id,
      ReplicaView view,
      KvSpace space,
      Coprocessor coprocessor,
      ReplicaDependencies dependencies) {
    this.id = id;
    this.view = view;
    this.space = space;
    this.coprocessor = coprocessor;
    this.load = dependencies.load();
    this.observer = dependencies.observer();
    RangeRuntime runtime = dependencies.runtime();
    this.queryThreads = runtime.queries();
    this.timers = runtime.timers();
    this.maxWaitMillis = runtime.maxQueryWait().toMillis();
  }

  /** Executes a query on a query thread, once this replica is confirmed as the leader. */
  void query(long epochVersion, long minIndex, byte[] query, Consumer<RangeResult> reply) {
    long deadlineMillis = timers.nowMillis() + maxWaitMillis;
    Consensus group = view.group();
    if (group == null || !view.isLeading()) {
      reply.accept(view.notServing());
    } else if (group.hasSingleVoter()) {
      submitQuery(deadlineMillis, epochVersion, minIndex, query, reply);
    } else {
      CompletableFuture<Long> confirmed = group.readIndex();
      confirmed.whenComplete(
          (index, failure) -> {
            if (failure == null) {
              submitQuery(deadlineMillis, epochVersion, minIndex, query, reply);
            } else {
              reply.accept(RangeRefusals.unconfirmed(id, failure));
            }
          });
    }
  }

  private void submitQuery(
      long deadlineMillis,
      long epochVersion,
      long minIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    try {
      queryThreads.execute(
          () ->
              reply.accept(
                  timers.nowMillis() >= deadlineMillis
                      ? new RangeResult.Busy("the query has waited for too long on this node")
                      : executeQuery(epochVersion, minIndex, query)));
    } catch (RejectedExecutionException e) {
      reply.accept(new RangeResult.Busy("too many queries are waiting on this node"));
    }
  }

  private RangeResult executeQuery(long epochVersion, long minIndex, byte[] query) {
    long startNanos = System.nanoTime();
    RangeDescriptor now = view.descriptor();
    if (!view.isLeading() || view.appliedIndex() < minIndex) {
      return view.notServing();
    }
    if (epochVersion != now.epoch().version()) {
      return new RangeResult.StaleEpoch(view.coveringRanges());
    } else if (view.isFrozen()) {
      return FreezeRecord.BUSY; // the neighbor may have absorbed the keys
    }
    try (LazySnapshot snapshot = new LazySnapshot(space)) {
      byte[] response =
          coprocessor.query(
              ByteBuffer.wrap(query).asReadOnlyBuffer(),
              new DataReader(snapshot, now.interval(), load));
      if (epochVersion != view.descriptor().epoch().version()) {
        // A split may have hidden keys from the query.
        return new RangeResult.StaleEpoch(view.coveringRanges());
      }
      load.recordQuery();
      observer.onQuery(id, System.nanoTime() - startNanos);
      return new RangeResult.Success(response);
    } catch (KvException e) {
      return new RangeResult.StorageFailed(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      LOG.error("Query threw; please report this bug range={}", id, e);
      return new RangeResult.Unavailable("query failed: " + e);
    }
  }
}
