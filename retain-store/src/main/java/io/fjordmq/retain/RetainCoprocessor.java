package io.fjordmq.retain;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.Message;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Retained messages of one range. Keeps in memory how many there are, of whom, and which expire
 * when; all are rebuilt from the rows, so they are the same on every replica.
 */
final class RetainCoprocessor implements Coprocessor {
  /** Answers to commands: {@link RetainStore.PutOutcome} by ordinal. */
  private static final byte[][] OUTCOMES = {{0}, {1}, {2}, {3}};

  private static final byte[] DONE = {};

  private final NavigableMap<Long, TreeSet<byte[]>> expiring = new TreeMap<>();
  private final AtomicLong count = new AtomicLong();
  private final RetainUsage usage = new RetainUsage();
  private volatile long firstExpiryMillis = Message.NEVER;
  private volatile KeyInterval interval = KeyInterval.ALL;

  @Override
  public void open(KeyInterval held, KvReader state) {
    interval = held;
    expiring.clear();
    usage.clear();
    long[] rows = {0};
    state.scan(
        held.start(),
        held.end(),
        (key, row) -> {
          rows[0]++;
          usage.changed(key, 1, row.length);
          remember(key, RetainRow.expiryOf(row));
          return true;
        });
    count.set(rows[0]);
    noteFirstExpiry();
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
      answer = OUTCOMES[put(put, context).ordinal()];
    } else if (command instanceof RetainCommand.Clear clear) {
      remove(clear.key(), context);
      answer = OUTCOMES[RetainStore.PutOutcome.CLEARED.ordinal()];
    } else {
      expire(((RetainCommand.Expire) command).atMost(), context);
      answer = DONE;
    }
    noteFirstExpiry();
    return answer;
  }

  private RetainStore.PutOutcome put(RetainCommand.Put put, ApplyContext context) {
    byte[] before = context.state().get(put.key());
    if (before == null && put.onlyReplace()) {
      return RetainStore.PutOutcome.REFUSED_FULL;
    }
    byte[] row = new RetainRow(put.expiresAtMillis(), put.message()).encode();
    long growth = (long) row.length - (before == null ? 0 : before.length);
    if (growth > 0 && growth > put.room()) {
      return RetainStore.PutOutcome.REFUSED_BYTES;
    }
    if (before == null) {
      count.incrementAndGet();
    } else {
      forget(put.key(), RetainRow.expiryOf(before));
    }
    usage.changed(put.key(), before == null ? 1 : 0, growth);
    context.state().put(put.key(), row);
    remember(put.key(), put.expiresAtMillis());
    return RetainStore.PutOutcome.KEPT;
  }

  private void remove(byte[] key, ApplyContext context) {
    byte[] before = context.state().get(key);
    if (before != null) {
      forget(key, RetainRow.expiryOf(before));
      context.state().delete(key);
      count.decrementAndGet();
      usage.changed(key, -1, -before.length);
    }
  }

  private void expire(int atMost, ApplyContext context) {
    for (int i = 0; i < atMost && !expiring.isEmpty(); i++) {
      if (expiring.firstKey() > context.nowMillis()) {
        return;
      }
      remove(expiring.firstEntry().getValue().first(), context);
    }
  }

  private void remember(byte[] key, long expiresAtMillis) {
    if (expiresAtMillis != Message.NEVER) {
      expiring
          .computeIfAbsent(expiresAtMillis, at -> new TreeSet<>(Arrays::compareUnsigned))
          .add(key);
    }
  }

  private void forget(byte[] key, long expiresAtMillis) {
    TreeSet<byte[]> keys = expiring.get(expiresAtMillis);
    if (keys != null) {
      keys.remove(key);
      if (keys.isEmpty()) {
        expiring.remove(expiresAtMillis);
      }
    }
  }

  private void noteFirstExpiry() {
    firstExpiryMillis = expiring.isEmpty() ? Message.NEVER : expiring.firstKey();
  }

  @Override
  public byte[] query(ByteBuffer bytes, KvReader state) {
    RetainQuery query = RetainQuery.decode(new ByteReader(bytes));
    return new RetainScan(query, interval).run(state).encode();
  }

  @Override
  public void close() {
    count.set(0);
    usage.clear();
    firstExpiryMillis = Message.NEVER;
  }

  /** Messages in this replica; any thread. */
  long count() {
    return count.get();
  }

  /** What a tenant has in this replica; any thread. */
  RetainUsage.Used used(String tenant) {
    return usage.of(tenant);
  }

  /** Whether something has expired; any thread. */
  boolean isDueAt(long nowMillis) {
    return firstExpiryMillis <= nowMillis;
  }

  /** The first key of its range; any thread. */
  byte[] firstKey() {
    return interval.start();
  }
}
