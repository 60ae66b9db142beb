package io.fjordmq.inbox;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Visits the state rows of a range in order, from a position. It skips all other tables, other
 * tenants if one is given, and buckets without sessions of a user if one is given. It stops after a
 * bounded number of rows and seeks.
 */
final class SessionScan {
  /** Maximum number of rows and seeks of one scan. */
  static final int MAX_ROWS = 4_096;

  /** Receives the sessions. */
  @FunctionalInterface
  interface Visitor {
    /** Visits a session; returns false to end the scan before it. */
    boolean visit(InboxState state);
  }

  private final KvReader rows;
  private final KeyInterval interval;
  private final SessionPosition end;
  private final @Nullable String tenant;
  private final IntPredicate buckets;
  private final Visitor visitor;
  private int visited;
  private @Nullable SessionPosition jump;
  private @Nullable SessionPosition stop;

  /**
   * @param end where the scan ends at the latest, exclusive
   * @param tenant null for all tenants
   * @param userName the name of a user whose buckets are visited; null for those of all users
   */
  SessionScan(
      KvReader rows,
      InboxMemory.Contents contents,
      SessionPosition end,
      @Nullable String tenant,
      @Nullable String userName,
      Visitor visitor) {
    this.rows = rows;
    this.interval = contents.interval();
    this.end = end;
    this.tenant = tenant;
    this.buckets = contents.sessions().buckets(userName);
    this.visitor = visitor;
  }

  /**
   * Runs the scan.
   *
   * @return where the next scan continues; {@link SessionPosition#END} if nothing is left
   */
  SessionPosition run(SessionPosition from) {
    SessionPosition position = skipBuckets(from);
    while (position.compareTo(end) < 0) {
      byte[] key = position.key();
      byte[] rangeEnd = interval.end();
      if (rangeEnd != null && Arrays.compareUnsigned(key, rangeEnd) >= 0) {
        return position; // the next range continues
      }
      if (visited >= MAX_ROWS) {
        return position;
      }
      visited++;
      jump = null;
      rows.scan(key, rangeEnd, this::visit);
      if (stop != null) {
        return stop;
      } else if (jump != null) {
        position = skipBuckets(jump);
      } else if (rangeEnd == null) {
        return SessionPosition.END;
      } else {
        position = SessionPosition.startOf(InboxKeys.bucketOf(rangeEnd));
      }
    }
    return SessionPosition.END;
  }

  /** Returns the first position from the given one on that is in a bucket to read. */
  private SessionPosition skipBuckets(SessionPosition position) {
    byte[] rangeEnd = interval.end();
    int endBucket = rangeEnd == null ? InboxId.BUCKETS : InboxKeys.bucketOf(rangeEnd);
    int bucket = position.bucket();
    while (bucket < endBucket && !buckets.test(bucket)) {
      bucket++;
    }
    return bucket == position.bucket() ? position : SessionPosition.startOf(bucket);
  }

  /** Returns the number of rows and seeks. */
  int visited() {
    return visited;
  }

  private boolean visit(byte[] key, byte[] value) {
    int bucket = InboxKeys.bucketOf(key);
    if (InboxKeys.tableOf(key) != InboxKeys.STATE) {
      jump = SessionPosition.startOf(bucket + 1);
      return false;
    }
    InboxId id = InboxKeys.idOfState(key);
    int order = tenant == null ? 0 : SessionPosition.compareText(id.tenant(), tenant);
    if (order != 0) {
      jump =
          order < 0
              ? new SessionPosition(bucket, String.valueOf(tenant), "")
              : SessionPosition.startOf(bucket + 1);
      return false;
    }
    SessionPosition position = new SessionPosition(bucket, id.tenant(), id.clientId());
    if (position.compareTo(end) >= 0) {
      stop = SessionPosition.END;
      return false;
    }
    if (visited >= MAX_ROWS || !visitor.visit(InboxState.decode(id, value))) {
      stop = position;
      return false;
    }
    visited++;
    return true;
  }
}
