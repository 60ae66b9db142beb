package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Message;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The strategy for picking one of the share members that can accept a message. */
public enum ShareStrategy {
  /** A random member. */
  RANDOM {
    @Override
    public int pick(List<? extends Candidate> candidates, Message message, Rotation rotation) {
      return ThreadLocalRandom.current().nextInt(candidates.size());
    }
  },
  /** Round robin. */
  ROUND_ROBIN {
    @Override
    public int pick(List<? extends Candidate> candidates, Message message, Rotation rotation) {
      return rotation.next(candidates.size());
    }
  },
  /** The same member until it disconnects. */
  STICKY {
    @Override
    public int pick(List<? extends Candidate> candidates, Message message, Rotation rotation) {
      String last = rotation.last;
      for (int i = 0; i < candidates.size(); i++) {
        if (candidates.get(i).clientId().equals(last)) {
          return i;
        }
      }
      int fresh = rotation.next(candidates.size());
      rotation.last = candidates.get(fresh).clientId();
      return fresh;
    }
  },
  /** The same member for all messages of a publisher, which keeps them in order. */
  HASH_BY_CLIENT {
    @Override
    public int pick(List<? extends Candidate> candidates, Message message, Rotation rotation) {
      return pickByHash(candidates, message.publisher().hashCode());
    }
  },
  /** The same member for all messages of a topic, which keeps them in order. */
  HASH_BY_TOPIC {
    @Override
    public int pick(List<? extends Candidate> candidates, Message message, Rotation rotation) {
      return pickByHash(candidates, message.topic().name().hashCode());
    }
  },
  /** Round robin over members connected to this node; other members only if there are none. */
  LOCAL_FIRST {
    @Override
    public int pick(List<? extends Candidate> candidates, Message message, Rotation rotation) {
      int local = 0;
      for (Candidate candidate : candidates) {
        local += candidate.isLocal() ? 1 : 0;
      }
      if (local == 0) {
        return rotation.next(candidates.size());
      }
      int skip = rotation.next(local);
      for (int i = 0; ; i++) {
        if (candidates.get(i).isLocal() && skip-- == 0) {
          return i;
        }
      }
    }
  };

  /** A member that can accept the message. */
  public interface Candidate {
    String clientId();

    /** Whether the member is connected to this node. */
    boolean isLocal();
  }

  /** The state that a share keeps between messages. Thread-safe. */
  public static final class Rotation {
    private final AtomicInteger count = new AtomicInteger();
    private volatile @Nullable String last;

    int next(int bound) {
      return Integer.remainderUnsigned(count.getAndIncrement(), bound);
    }

    /**
     * The position of the rotation: an unsigned number, to be taken modulo the number of members.
     */
    public int position() {
      return count.get();
    }

    /** Advances the rotation; concurrent callers may pick the same member. */
    public void advance(int members) {
      count.addAndGet(members);
    }
  }

  /**
   * Picks a candidate.
   *
   * @param candidates at least one candidate, in an order that stays the same as long as the share
   *     does not change
   * @return the index of the picked candidate
   */
  public abstract int pick(
      List<? extends Candidate> candidates, Message message, Rotation rotation);

  /** Whether the strategy may pick a different member when the same message is sent again. */
  public boolean mayVaryBetweenAttempts() {
    return this == RANDOM || this == ROUND_ROBIN || this == LOCAL_FIRST;
  }

  /**
   * Rendezvous hashing (Thaler and Ravishankar, 1998): when a member joins or leaves, only the
   * messages assigned to that member move.
   */
  public static int pickByHash(List<? extends Candidate> candidates, int key) {
    int best = 0;
    long highest = Long.MIN_VALUE;
    for (int i = 0; i < candidates.size(); i++) {
      long weight = mix(((long) key << 32) ^ candidates.get(i).clientId().hashCode());
      if (weight > highest) {
        highest = weight;
        best = i;
      }
    }
    return best;
  }

  /** Mixes the bits with the constants of Stafford's variant 13 of the MurmurHash3 finalizer. */
  private static long mix(long z) {
    long y = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    long x = (y ^ (y >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }
}
