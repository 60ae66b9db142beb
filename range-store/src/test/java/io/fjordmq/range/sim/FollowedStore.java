package io.fjordmq.range.sim;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One store on several nodes in one process. {@link LocalRanges} runs the replicas of the first
 * node, which leads all ranges; the coprocessors of the other nodes apply the same log, immediately
 * or when the test releases them.
 */
public final class FollowedStore {
  @SuppressWarnings("ArrayRecordComponent") // never compared by value
  private record AppliedEntry(long index, long nowMillis, byte[] command) {}

  private final StoreSpec leader;
  private final List<Follower> followers;

  /**
   * @param followers the specs of the same store on the other nodes
   */
  public FollowedStore(StoreSpec leader, List<StoreSpec> followers) {
    this.leader = leader;
    this.followers = followers.stream().map(Follower::new).toList();
  }

  /** Returns the spec to pass to {@link LocalRanges#of}. */
  public StoreSpec spec() {
    return new StoreSpec(
        leader.name(), leader.initialSplitKeys(), LeadingCoprocessor::new, leader.effects());
  }

  /** Stops the follower, counted from 0, from applying entries. */
  public void hold(int follower) {
    followers.get(follower).held = true;
  }

  /** Lets the follower apply the entries that it has missed, and all later ones. */
  public void release(int follower) {
    followers.get(follower).held = false;
    followers.get(follower).catchUp();
  }

  /** A node that follows. */
  private static final class Follower {
    private final StoreSpec spec;
    private final Map<RangeId, Replica> replicas = new ConcurrentHashMap<>();
    private volatile boolean held;

    Follower(StoreSpec spec) {
      this.spec = spec;
    }

    Replica replica(RangeId range, KeyInterval interval) {
      return replicas.computeIfAbsent(
          range, r -> new Replica(spec.coprocessorFactory().apply(range), interval));
    }

    void catchUp() {
      if (!held) {
        replicas.values().forEach(Replica::catchUp);
      }
    }
  }

  /** The follower's replica of one range. */
  private static final class Replica {
    private final Coprocessor coprocessor;
    private final FollowerRows rows = new FollowerRows();
    private final Queue<AppliedEntry> missedEntries = new ArrayDeque<>();
    private long index;

    Replica(Coprocessor coprocessor, KeyInterval interval) {
      this.coprocessor = coprocessor;
      coprocessor.open(interval, rows);
      coprocessor.onApplied(0);
    }

    synchronized void offer(List<AppliedEntry> entries) {
      missedEntries.addAll(entries);
    }

    synchronized void catchUp() {
      long before = index;
      for (AppliedEntry next = missedEntries.poll(); next != null; next = missedEntries.poll()) {
        if (next.index > before) { // entries that a reopened leader applies again are already known
          rows.setEntry(next.index, next.nowMillis);
          coprocessor.apply(ByteBuffer.wrap(next.command).asReadOnlyBuffer(), rows);
          index = next.index;
        }
      }
      coprocessor.onApplied(index);
    }
  }

  /** The leader's replica; passes on what it applies. */
  private final class LeadingCoprocessor implements Coprocessor {
    private final RangeId range;
    private final Coprocessor coprocessor;
    private final List<AppliedEntry> entries = new ArrayList<>();
    private KeyInterval interval = KeyInterval.ALL;

    LeadingCoprocessor(RangeId range) {
      this.range = range;
      this.coprocessor = leader.coprocessorFactory().apply(range);
    }

    @Override
    public void onAbsorbed(List<Long> parts) {
      coprocessor.onAbsorbed(parts);
    }

    @Override
    public void open(KeyInterval held, KvReader state) {
      interval = held;
      coprocessor.open(held, state);
    }

    @Override
    public byte[] apply(ByteBuffer command, ApplyContext context) {
      byte[] bytes = new byte[command.remaining()];
      command.duplicate().get(bytes);
      entries.add(new AppliedEntry(context.index(), context.nowMillis(), bytes));
      return coprocessor.apply(command, context);
    }

    @Override
    public void onApplied(long index) {
      coprocessor.onApplied(index);
      List<AppliedEntry> applied = List.copyOf(entries);
      entries.clear();
      for (Follower follower : followers) {
        follower.replica(range, interval).offer(applied);
        follower.catchUp();
      }
    }

    @Override
    public byte[] query(ByteBuffer query, KvReader state) {
      return coprocessor.query(query, state);
    }

    @Override
    public void close() {
      coprocessor.close();
    }
  }
}
