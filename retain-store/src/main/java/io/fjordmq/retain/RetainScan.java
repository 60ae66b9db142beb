package io.fjordmq.retain;

import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the messages in one range that match a filter. It scans each bucket for topics that share
 * the filter's prefix before the first wildcard. After several consecutive rows that do not match,
 * it looks up the next candidate in the {@link RetainedTopicIndex}. The scan is bounded: it stops
 * after a number of messages, bytes or rows and returns the key where the next page starts.
 */
public final class RetainScan {
  /**
   * Maximum rows and index entries read per page. A page may be empty because of this limit; the
   * caller then requests the next one.
   */
  public static final int MAX_ROWS = 4_096;

  /**
   * Number of consecutive misses before the scan jumps. Reading a few more rows is cheaper than
   * starting a new scan.
   */
  private static final int MISSES_BEFORE_JUMP = 8;

  private final RetainQuery query;
  private final KeyInterval interval;
  private final TopicFilter filter;
  private final String literal;
  private final boolean singleBucket;
  private final boolean includesParent;

  /**
   * For {@code a/#}, the first possible key below {@code a}. Topics such as {@code a-b} sort
   * between {@code a} and this key.
   */
  private final byte[] firstChildKey;

  private final @Nullable RetainedTopicIndex index;
  private final long[] terms;

  private final List<byte[]> found = new ArrayList<>();
  private int foundBytes;
  private int rows;
  private int misses;
  private byte @Nullable [] stoppedAt;
  private byte @Nullable [] missedAt;

  /**
   * Prepares a scan.
   *
   * @param index topic index of the range; null if there is none
   */
  RetainScan(RetainQuery query, KeyInterval interval, @Nullable RetainedTopicIndex index) {
    String pattern = query.pattern();
    this.query = query;
    this.interval = interval;
    this.filter = TopicFilter.parse(pattern);
    this.literal = literalPrefix(pattern);
    this.singleBucket = firstLevelIsLiteral(pattern);
    this.includesParent = pattern.length() == literal.length() + 2 && pattern.endsWith("/#");
    this.firstChildKey =
        RetainKeys.key(
            query.from()[0] & 0xFF, query.tenant(), includesParent ? literal + '/' : literal);
    this.index = pattern.indexOf('+') < 0 ? null : index;
    this.terms =
        this.index == null ? new long[0] : RetainedTopicIndex.termsOf(query.tenant(), pattern);
  }

  /** Returns the first possible key of a topic that matches the filter. */
  public static byte[] firstKey(String tenant, String pattern) {
    int bucket =
        firstLevelIsLiteral(pattern)
            ? RetainKeys.bucketOf(tenant, RetainKeys.firstLevel(pattern))
            : 0;
    return RetainKeys.key(bucket, tenant, literalPrefix(pattern));
  }

  RetainResponse run(KvReader state) {
    byte[] from = query.from();
    while (true) {
      int bucket = from[0] & 0xFF;
      byte[] prefix = RetainKeys.key(bucket, query.tenant(), literal);
      byte[] begin = Arrays.compareUnsigned(from, prefix) > 0 ? from : prefix;
      if (!interval.contains(begin)) {
        return outsideRange(begin);
      }
      byte[] end = endOf(prefix);
      byte[] next = jump(begin, prefix, end);
      boolean inBucket = next != null && isBelow(next, end);
      if (next != null && inBucket && stoppedAt == null) {
        missedAt = null;
        misses = 0;
        state.scan(next, clip(end), this::visit);
      }
      if (stoppedAt != null) {
        return new RetainResponse(found, stoppedAt);
      }
      if (missedAt != null && inBucket) {
        from = missedAt;
      } else if (rangeEndsBefore(end) || (next == null && !singleBucket)) {
        return new RetainResponse(found, interval.end());
      } else if (singleBucket || bucket == RetainKeys.BUCKETS - 1) {
        return new RetainResponse(found, null);
      } else if (next != null && !inBucket && (next[0] & 0xFF) > bucket) {
        from = next;
      } else {
        from = new byte[] {(byte) (bucket + 1)};
      }
    }
  }

  /**
   * Returns the first key at or after {@code begin} that may match; null if this range has none.
   */
  private byte @Nullable [] jump(byte[] begin, byte[] prefix, byte @Nullable [] end) {
    if (includesParent && !Arrays.equals(begin, prefix)) {
      return isBelow(begin, firstChildKey) ? firstChildKey : begin;
    }
    RetainedTopicIndex topics = index;
    if (topics == null || terms.length == 0) {
      return begin;
    }
    // Leapfrog join: each term in turn advances to its first key at or after the current one, until
    // all agree.
    byte[] at = begin;
    int agreed = 0;
    for (int i = 0; agreed < terms.length; i = (i + 1) % terms.length) {
      if (rows >= MAX_ROWS) {
        stoppedAt = at;
        return at;
      }
      rows++;
      byte[] found = topics.ceiling(terms[i], at);
      if (found == null || (singleBucket && !isBelow(found, end))) {
        return null;
      }
      agreed = Arrays.equals(found, at) ? agreed + 1 : 1;
      at = found;
    }
    return at;
  }

  /**
   * Handles a key outside this range, for example after a split. The next range handles keys beyond
   * the end.
   */
  private RetainResponse outsideRange(byte[] begin) {
    boolean past = interval.end() != null && Arrays.compareUnsigned(begin, interval.end()) >= 0;
    return new RetainResponse(found, past ? begin : null);
  }

  /**
   * Returns true if the range ends before this key, so that matches of the bucket continue in the
   * next range.
   */
  private boolean rangeEndsBefore(byte @Nullable [] end) {
    byte[] rangeEnd = interval.end();
    return rangeEnd != null && (end == null || Arrays.compareUnsigned(rangeEnd, end) < 0);
  }

  private byte @Nullable [] clip(byte @Nullable [] end) {
    return rangeEndsBefore(end) ? interval.end() : end;
  }

  private static boolean isBelow(byte[] key, byte @Nullable [] end) {
    return end == null || Arrays.compareUnsigned(key, end) < 0;
  }

  /**
   * Returns the end (exclusive) of the keys in a bucket that may match; null if it is the end of
   * the key space.
   */
  private byte @Nullable [] endOf(byte[] prefix) {
    if (!filter.hasWildcard()) {
      return Arrays.copyOf(prefix, prefix.length + 1); // the immediate successor
    }
    return RetainKeys.after(includesParent ? firstChildKey : prefix);
  }

  private boolean visit(byte[] key, byte[] row) {
    boolean full = found.size() >= query.maxMessages() || foundBytes >= query.maxBytes();
    if (full || rows >= MAX_ROWS) {
      stoppedAt = key;
      return false;
    }
    if (misses >= MISSES_BEFORE_JUMP
        && (terms.length > 0 || (includesParent && isBelow(key, firstChildKey)))) {
      missedAt = key;
      return false;
    }
    rows++;
    misses++;
    RetainRow.Head head = RetainRow.headOf(row);
    if (!head.isClearMarker() && filter.matches(new Topic(RetainKeys.topicOf(key)))) {
      misses = 0;
      if (head.expiresAtMillis() > query.nowMillis()) {
        byte[] message = RetainRow.decode(row).message();
        found.add(message);
        foundBytes += message.length;
      }
    }
    return true;
  }

  /** Returns the number of rows and index entries read. */
  int visited() {
    return rows;
  }

  private static boolean firstLevelIsLiteral(String pattern) {
    String first = RetainKeys.firstLevel(pattern);
    return !first.equals("+") && !first.equals("#");
  }

  /**
   * Returns the prefix that all matching topics share. {@code a/#} also matches {@code a}, so its
   * prefix is {@code a}.
   */
  private static String literalPrefix(String pattern) {
    int plus = pattern.indexOf('+');
    int wildcard = plus >= 0 ? plus : pattern.indexOf('#');
    if (wildcard < 0) {
      return pattern;
    }
    boolean includesParent = pattern.charAt(wildcard) == '#' && wildcard > 0;
    return pattern.substring(0, includesParent ? wildcard - 1 : wildcard);
  }
}
