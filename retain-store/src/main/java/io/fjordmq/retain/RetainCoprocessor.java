package io.fjordmq.retain;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.Message;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvWriter;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Retained messages of one range. Keeps in memory how many there are, of whom, which expire when,
 * and an index of their topics; all are rebuilt from the rows, so they are the same on every
 * replica.
 */
final class RetainCoprocessor implements Coprocessor {
  /** Answers to commands: {@link RetainStore.PutOutcome} by ordinal. */
  private static final byte[][] OUTCOMES = {{0}, {1}, {2}, {3}, {4}};

  private static final byte[] DONE = {};

  /**
   * Nobody goes on for so long with what a connection has left behind (a client of ranges gives up
   * after half a minute, and connections to nodes that stand still are closed). Replicas must agree
   * on it, so it is no setting.
   */
  static final long REMEMBERED_MILLIS = 300_000;

  /** Cleared topics that are remembered; beyond, the oldest is forgotten. */
  static final int MAX_REMEMBERED = 65_536;

  private final DueKeys expiring = new DueKeys();
  private final DueKeys cleared = new DueKeys();
  private final AtomicLong count = new AtomicLong();
  private final RetainUsage usage = new RetainUsage();
  private final ReplicaIndex index;
  private volatile long firstDueMillis = Message.NEVER;
  private volatile KeyInterval interval = KeyInterval.ALL;

  /**
   * @param space for its index of topics
   */
  RetainCoprocessor(IndexSpace space) {
    index = new ReplicaIndex(space);
  }

  @Override
  public void open(KeyInterval held, KvReader state) {
    interval = held;
    expiring.clear();
    cleared.clear();
    usage.clear();
    index.begin();
    long[] messages = {0};
    state.scan(
        held.start(),
        held.end(),
        (key, row) -> {
          RetainRow.Head head = RetainRow.headOf(row);
          if (!head.isMemory()) {
            messages[0]++;
            usage.changed(key, 1, row.length);
            index.add(key);
          }
          noteDue(key, head);
          return true;
        });
    index.ready();
    count.set(messages[0]);
    noteFirstDue();
  }

  @Override
  public void requireReadable(ByteBuffer command) {
    RetainCommand.requireReadable(new ByteReader(command));
  }

  @Override
  public byte[] apply(ByteBuffer bytes, ApplyContext context) {
    RetainCommand command = RetainCommand.decode(new ByteReader(bytes));
    byte[] answer;
    if (command instanceof RetainCommand.Put put) {
      answer = OUTCOMES[put(put, context.state()).ordinal()];
    } else if (command instanceof RetainCommand.Clear clear) {
      answer = OUTCOMES[clear(clear, context).ordinal()];
    } else {
      expire(((RetainCommand.Expire) command).atMost(), context);
      answer = DONE;
    }
    noteFirstDue();
    return answer;
  }

  private RetainStore.PutOutcome put(RetainCommand.Put put, KvWriter rows) {
    byte[] found = rows.get(put.key());
    RetainRow.Head head = found == null ? null : RetainRow.headOf(found);
    if (head != null && head.retainPublisher().isAfter(put.retainPublisher())) {
      return RetainStore.PutOutcome.SUPERSEDED;
    }
    byte[] before = head == null || head.isMemory() ? null : found;
    if (before == null && put.onlyReplace()) {
      return RetainStore.PutOutcome.REFUSED_FULL;
    }
    byte[] row =
        new RetainRow(put.expiresAtMillis(), put.retainPublisher(), put.message()).encode();
    long growth = (long) row.length - (before == null ? 0 : before.length);
    if (growth > 0 && growth > put.room()) {
      return RetainStore.PutOutcome.REFUSED_BYTES;
    }
    if (head != null) {
      forgetDue(put.key(), head);
    }
    if (before == null) {
      count.incrementAndGet();
      index.add(put.key());
    }
    usage.changed(put.key(), before == null ? 1 : 0, growth);
    rows.put(put.key(), row);
    noteDue(put.key(), RetainRow.headOf(row));
    return RetainStore.PutOutcome.KEPT;
  }

  private RetainStore.PutOutcome clear(RetainCommand.Clear clear, ApplyContext context) {
    byte[] found = context.state().get(clear.key());
    RetainRow.Head head = found == null ? null : RetainRow.headOf(found);
    if (head != null && head.retainPublisher().isAfter(clear.retainPublisher())) {
      return RetainStore.PutOutcome.SUPERSEDED;
    }
    if (found != null && head != null) {
      remove(clear.key(), found, head, context.state());
    }
    rememberCleared(clear.key(), clear.retainPublisher(), context);
    return RetainStore.PutOutcome.CLEARED;
  }

  /** Of a row that is there, everything goes. */
  private void remove(byte[] key, byte[] row, RetainRow.Head head, KvWriter rows) {
    forgetDue(key, head);
    rows.delete(key);
    if (!head.isMemory()) {
      count.decrementAndGet();
      index.remove(key);
      usage.changed(key, -1, -row.length);
    }
  }

  /** The topic has no row now; what its last writer left on the way must not come back. */
  private void rememberCleared(byte[] key, RetainPublisher retainPublisher, ApplyContext context) {
    if (retainPublisher.isNobody()) {
      return;
    }
    while (cleared.size() >= MAX_REMEMBERED) {
      byte[] oldest = cleared.first();
      cleared.remove(cleared.firstMillis(), oldest);
      context.state().delete(oldest);
    }
    RetainRow memory = RetainRow.memory(context.nowMillis() + REMEMBERED_MILLIS, retainPublisher);
    context.state().put(key, memory.encode());
    cleared.add(memory.expiresAtMillis(), key);
  }

  private void expire(int atMost, ApplyContext context) {
    int left = atMost;
    for (; left > 0 && expiring.firstMillis() <= context.nowMillis(); left--) {
      byte[] key = expiring.first();
      byte[] row = Objects.requireNonNull(context.state().get(key));
      RetainRow.Head head = RetainRow.headOf(row);
      remove(key, row, head, context.state());
      rememberCleared(key, head.retainPublisher(), context);
    }
    for (; left > 0 && cleared.firstMillis() <= context.nowMillis(); left--) {
      byte[] key = cleared.first();
      cleared.remove(cleared.firstMillis(), key);
      context.state().delete(key);
    }
  }

  private void noteDue(byte[] key, RetainRow.Head head) {
    if (head.isMemory()) {
      cleared.add(head.expiresAtMillis(), key);
    } else if (head.expiresAtMillis() != Message.NEVER) {
      expiring.add(head.expiresAtMillis(), key);
    }
  }

  private void forgetDue(byte[] key, RetainRow.Head head) {
    (head.isMemory() ? cleared : expiring).remove(head.expiresAtMillis(), key);
  }

  private void noteFirstDue() {
    firstDueMillis = Math.min(expiring.firstMillis(), cleared.firstMillis());
  }

  @Override
  public byte[] query(ByteBuffer bytes, KvReader state) {
    RetainQuery query = RetainQuery.decode(new ByteReader(bytes));
    return new RetainScan(query, interval, index.current()).run(state).encode();
  }

  @Override
  public void close() {
    index.clear();
    count.set(0);
    usage.clear();
    firstDueMillis = Message.NEVER;
  }

  /** Messages in this replica; any thread. */
  long count() {
    return count.get();
  }

  /** What a tenant has in this replica; any thread. */
  RetainUsage.Used used(String tenant) {
    return usage.of(tenant);
  }

  /** Whether something has expired, or need not be remembered any more; any thread. */
  boolean isDueAt(long nowMillis) {
    return firstDueMillis <= nowMillis;
  }

  /** The first key of its range; any thread. */
  byte[] firstKey() {
    return interval.start();
  }
}
