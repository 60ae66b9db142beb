package io.fjordmq.inbox;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Tells which buckets may contain sessions of a user, so that a search for these sessions skips all
 * other buckets. Takes about five bytes per session, for a hash of the user's name, once there are
 * many sessions in each bucket. This is a hint: no applied state depends on it. Updated by the
 * apply thread, before the rows; any thread may call {@link #buckets}.
 */
final class SessionIndex {
  private static final int MIN_CAPACITY = 2;

  /** The hashes of one bucket, one per session, in no particular order. Guarded by itself. */
  private static final class Bucket {
    private int[] hashes = new int[MIN_CAPACITY];
    private int count;

    synchronized void add(int hash) {
      if (count == hashes.length) {
        hashes = Arrays.copyOf(hashes, count + Math.max(MIN_CAPACITY, count / 8));
      }
      hashes[count++] = hash;
    }

    synchronized void remove(int hash) {
      int at = indexOf(hash);
      if (at < 0) {
        return;
      }
      hashes[at] = hashes[--count];
      if (count < hashes.length / 2 && hashes.length > MIN_CAPACITY) {
        hashes = Arrays.copyOf(hashes, Math.max(MIN_CAPACITY, count));
      }
    }

    synchronized boolean contains(int hash) {
      return indexOf(hash) >= 0;
    }

    private int indexOf(int hash) {
      for (int i = 0; i < count; i++) {
        if (hashes[i] == hash) {
          return i;
        }
      }
      return -1;
    }
  }

  /** By bucket; null where there has been no session. Without elements until the first session. */
  private volatile AtomicReferenceArray<@Nullable Bucket> users = new AtomicReferenceArray<>(0);

  private final AtomicInteger size = new AtomicInteger();

  /**
   * Adds a session.
   *
   * @param user null if it has no user
   */
  void add(int bucket, @Nullable SessionUser user) {
    size.incrementAndGet();
    addUser(bucket, user);
  }

  /** Removes a session, of which the user is the latest. */
  void remove(int bucket, @Nullable SessionUser user) {
    size.decrementAndGet();
    removeUser(bucket, user);
  }

  /** Changes the user of a session. */
  void changeUser(int bucket, @Nullable SessionUser before, @Nullable SessionUser after) {
    if (before == null || after == null || !before.isSame(after)) {
      removeUser(bucket, before);
      addUser(bucket, after);
    }
  }

  private void addUser(int bucket, @Nullable SessionUser user) {
    if (user != null) {
      create(bucket).add(hash(user.name()));
    }
  }

  private void removeUser(int bucket, @Nullable SessionUser user) {
    Bucket sessions = find(bucket);
    if (user != null && sessions != null) {
      sessions.remove(hash(user.name()));
    }
  }

  /**
   * Returns which buckets may contain sessions.
   *
   * @param userName null for those of all users
   */
  IntPredicate buckets(@Nullable String userName) {
    if (size.get() == 0) {
      return bucket -> false;
    } else if (userName == null) {
      return bucket -> true;
    }
    int hash = hash(userName);
    return bucket -> {
      Bucket sessions = find(bucket);
      return sessions != null && sessions.contains(hash);
    };
  }

  private @Nullable Bucket find(int bucket) {
    AtomicReferenceArray<@Nullable Bucket> current = users;
    return current.length() == 0 ? null : current.get(bucket);
  }

  /** Apply thread only. */
  private Bucket create(int bucket) {
    if (users.length() == 0) {
      users = new AtomicReferenceArray<>(InboxId.BUCKETS);
    }
    Bucket found = users.get(bucket);
    if (found == null) {
      found = new Bucket();
      users.set(bucket, found);
    }
    return found;
  }

  private static int hash(String userName) {
    return userName.hashCode();
  }
}
