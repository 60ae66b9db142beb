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
 * The retained messages of one range. Keeps counts, usage per tenant, expiry times and a topic
 * index in memory. All of them are derived from the rows, so they are the same on every replica.
 */
final class RetainCoprocessor implements Coprocessor {
  /** Encoded answers: {@link RetainStore.PutOutcome} by ordinal. */
  private static final byte[][] OUTCOMES = {{0}, {1}, {2}, {3}, {4}};

  private static final byte[] DONE = {};

  /**
   * How long clear markers are kept. No message of an ended connection is in flight for that long:
   * range clients give up after 30 seconds, and connections to nodes that do not respond are
   * closed. Replicas must agree on this value, so it is not configurable.
   */
  static final long CLEAR_MARKER_MILLIS = 300_000;

  /** Maximum number of clear markers; beyond it, the one that is due first is removed. */
  static final int MAX_CLEAR_MARKERS = 65_536;

  private final DueKeys expiring = new DueKeys();
  private final DueKeys cleared = new DueKeys();
  private final AtomicLong count = new AtomicLong();
  private final RetainUsage usage = new RetainUsage();
  private final ReplicaIndex index;
  private volatile long firstDueMillis = Message.NEVER;
  private volatile KeyInterval interval = KeyInterval.ALL;

  /**
   * Creates a coprocessor.
   *
   * @param space memory budget for the topic index
   */
  RetainCoprocessor(IndexMemory space) {
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
          if (!head.isClearMarker()) {
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
    byte[] before = head == null || head.isClearMarker() ? null : found;
    if (before == null && put.onlyReplace()) {
      return RetainStore.PutOutcome.REFUSED_FULL;
    }
    byte[] row =
        new RetainRow(put.expiresAtMillis(), put.retainPublisher(), put.message()).encode();
    long growth = (long) row.length - (before == null ? 0 : before.length);
    if (growth > 0 && growth > put.maxGrowth()) {
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
    putClearMarker(clear.key(), clear.retainPublisher(), context);
    return RetainStore.PutOutcome.CLEARED;
  }

  /** Removes a row and everything derived from it. */
  private void remove(byte[] key, byte[] row, RetainRow.Head head, KvWriter rows) {
    forgetDue(key, head);
    rows.delete(key);
    if (!head.isClearMarker()) {
      count.decrementAndGet();
      index.remove(key);
      usage.changed(key, -1, -row.length);
    }
  }

  /**
   * Replaces the removed row with a clear marker, so that delayed messages of the last publisher's
   * earlier connections are not retained again.
   */
  private void putClearMarker(byte[] key, RetainPublisher retainPublisher, ApplyContext context) {
    if (retainPublisher.isNobody()) {
      return;
    }
    while (cleared.size() >= MAX_CLEAR_MARKERS) {
      byte[] oldest = cleared.first();
      cleared.remove(cleared.firstMillis(), oldest);
      context.state().delete(oldest);
    }
    RetainRow memory =
        RetainRow.clearMarker(context.nowMillis() + CLEAR_MARKER_MILLIS, retainPublisher);
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
      putClearMarker(key, head.retainPublisher(), context);
    }
    for (; left > 0 && cleared.firstMillis() <= context.nowMillis(); left--) {
      byte[] key = cleared.first();
      cleared.remove(cleared.firstMillis(), key);
      context.state().delete(key);
    }
  }

  private void noteDue(byte[] key, RetainRow.Head head) {
    if (head.isClearMarker()) {
      cleared.add(head.expiresAtMillis(), key);
    } else if (head.expiresAtMillis() != Message.NEVER) {
      expiring.add(head.expiresAtMillis(), key);
    }
  }

  private void forgetDue(byte[] key, RetainRow.Head head) {
    (head.isClearMarker() ? cleared : expiring).remove(head.expiresAtMillis(), key);
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

  /** Returns the number of messages in this replica. Any thread may call this. */
  long count() {
    return count.get();
  }

  /** Returns the usage of a tenant in this replica. Any thread may call this. */
  RetainUsage.Used used(String tenant) {
    return usage.of(tenant);
  }

  /** Returns true if a message or clear marker has expired. Any thread may call this. */
  boolean isDueAt(long nowMillis) {
    return firstDueMillis <= nowMillis;
  }

  /** Returns the first key of the range. Any thread may call this. */
  byte[] firstKey() {
    return interval.start();
  }
}
