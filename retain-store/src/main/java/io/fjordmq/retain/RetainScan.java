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
 * Finds what a filter matches in one range: a scan per bucket, over the topics that begin with what
 * the filter says before its first wildcard. Where several rows in a row do not match, the {@link
 * RetainedTopicIndex} says which one may be next. Bounded: it stops after so many messages, bytes
 * or rows and says where to go on.
 */
final class RetainScan {
  /**
   * Rows and entries of the index looked at per page; a page may be empty because of it, and the
   * caller asks on.
   */
  static final int MAX_ROWS = 4_096;

  /** Reading on is cheaper than beginning a scan elsewhere. */
  private static final int MISSES_BEFORE_JUMP = 8;

  private final RetainQuery query;
  private final KeyInterval interval;
  private final TopicFilter filter;
  private final String literal;
  private final boolean oneBucket;
  private final boolean parentToo;

  /** Of {@code a/#}: where what is below {@code a} begins; other topics may lie before it. */
  private final byte[] children;

  private final @Nullable RetainedTopicIndex index;
  private final long[] terms;

  private final List<byte[]> found = new ArrayList<>();
  private int foundBytes;
  private int rows;
  private int misses;
  private byte @Nullable [] stoppedAt;
  private byte @Nullable [] missedAt;

  /**
   * @param index of the range's topics; null if there is none
   */
  RetainScan(RetainQuery query, KeyInterval interval, @Nullable RetainedTopicIndex index) {
    String pattern = query.pattern();
    this.query = query;
    this.interval = interval;
    this.filter = TopicFilter.parse(pattern);
    this.literal = literalPrefix(pattern);
    this.oneBucket = firstLevelIsLiteral(pattern);
    this.parentToo = pattern.length() == literal.length() + 2 && pattern.endsWith("/#");
    this.children =
        RetainKeys.key(query.from()[0] & 0xFF, query.tenant(), parentToo ? literal + '/' : literal);
    this.index = pattern.indexOf('+') < 0 ? null : index;
    this.terms =
        this.index == null ? new long[0] : RetainedTopicIndex.termsOf(query.tenant(), pattern);
  }

  /** Where a filter's matches begin. */
  static byte[] firstKey(String tenant, String pattern) {
    int bucket =
        firstLevelIsLiteral(pattern)
            ? RetainKeys.bucketOf(tenant, RetainKeys.firstLevel(pattern))
            : 0;
    return RetainKeys.key(bucket, tenant, literalPrefix(pattern));
  }

  RetainAnswer run(KvReader state) {
    byte[] from = query.from();
    while (true) {
      int bucket = from[0] & 0xFF;
      byte[] prefix = RetainKeys.key(bucket, query.tenant(), literal);
      byte[] begin = Arrays.compareUnsigned(from, prefix) > 0 ? from : prefix;
      if (!interval.contains(begin)) {
        return beyond(begin);
      }
      byte[] end = endOf(prefix);
      byte[] next = jump(begin, prefix, end);
      boolean inBucket = next != null && isBelow(next, end);
      if (next != null && inBucket && stoppedAt == null) {
        missedAt = null;
        misses = 0;
        state.scan(next, clipped(end), this::visit);
      }
      if (stoppedAt != null) {
        return new RetainAnswer(found, stoppedAt);
      }
      if (missedAt != null && inBucket) {
        from = missedAt;
      } else if (isCutBefore(end) || (next == null && !oneBucket)) {
        return new RetainAnswer(found, interval.end());
      } else if (oneBucket || bucket == RetainKeys.BUCKETS - 1) {
        return new RetainAnswer(found, null);
      } else if (next != null && !inBucket && (next[0] & 0xFF) > bucket) {
        from = next;
      } else {
        from = new byte[] {(byte) (bucket + 1)};
      }
    }
  }

  /** The first key from this one on that may match; null if there is none in this range. */
  private byte @Nullable [] jump(byte[] begin, byte[] prefix, byte @Nullable [] end) {
    if (parentToo && !Arrays.equals(begin, prefix)) {
      return isBelow(begin, children) ? children : begin;
    }
    RetainedTopicIndex topics = index;
    if (topics == null || terms.length == 0) {
      return begin;
    }
    // Each term in turn moves on to its first key that is not below the others' until all agree.
    byte[] at = begin;
    int agreed = 0;
    for (int i = 0; agreed < terms.length; i = (i + 1) % terms.length) {
      if (rows >= MAX_ROWS) {
        stoppedAt = at;
        return at;
      }
      rows++;
      byte[] found = topics.ceiling(terms[i], at);
      if (found == null || (oneBucket && !isBelow(found, end))) {
        return null;
      }
      agreed = Arrays.equals(found, at) ? agreed + 1 : 1;
      at = found;
    }
    return at;
  }

  /** The key lies past this range (the cursor was made before a split): the next one answers. */
  private RetainAnswer beyond(byte[] begin) {
    boolean past = interval.end() != null && Arrays.compareUnsigned(begin, interval.end()) >= 0;
    return new RetainAnswer(found, past ? begin : null);
  }

  /** What matches in this bucket goes on in the range that follows. */
  private boolean isCutBefore(byte @Nullable [] end) {
    byte[] rangeEnd = interval.end();
    return rangeEnd != null && (end == null || Arrays.compareUnsigned(rangeEnd, end) < 0);
  }

  private byte @Nullable [] clipped(byte @Nullable [] end) {
    return isCutBefore(end) ? interval.end() : end;
  }

  private static boolean isBelow(byte[] key, byte @Nullable [] end) {
    return end == null || Arrays.compareUnsigned(key, end) < 0;
  }

  /** Where the topics of a bucket end that may match; null if only the key space ends them. */
  private byte @Nullable [] endOf(byte[] prefix) {
    if (!filter.hasWildcard()) {
      return Arrays.copyOf(prefix, prefix.length + 1); // the key that follows at once
    }
    return RetainKeys.after(parentToo ? children : prefix);
  }

  private boolean visit(byte[] key, byte[] row) {
    boolean full = found.size() >= query.maxMessages() || foundBytes >= query.maxBytes();
    if (full || rows >= MAX_ROWS) {
      stoppedAt = key;
      return false;
    }
    if (misses >= MISSES_BEFORE_JUMP
        && (terms.length > 0 || (parentToo && isBelow(key, children)))) {
      missedAt = key;
      return false;
    }
    rows++;
    misses++;
    RetainRow.Head head = RetainRow.headOf(row);
    if (!head.isMemory() && filter.matches(new Topic(RetainKeys.topicOf(key)))) {
      misses = 0;
      if (head.expiresAtMillis() > query.nowMillis()) {
        byte[] message = RetainRow.decode(row).message();
        found.add(message);
        foundBytes += message.length;
      }
    }
    return true;
  }

  /** Rows and entries of the index looked at. */
  int visited() {
    return rows;
  }

  private static boolean firstLevelIsLiteral(String pattern) {
    String first = RetainKeys.firstLevel(pattern);
    return !first.equals("+") && !first.equals("#");
  }

  /** What every topic that matches begins with. {@code a/#} matches {@code a} too. */
  private static String literalPrefix(String pattern) {
    int plus = pattern.indexOf('+');
    int wildcard = plus >= 0 ? plus : pattern.indexOf('#');
    if (wildcard < 0) {
      return pattern;
    }
    boolean parentToo = pattern.charAt(wildcard) == '#' && wildcard > 0;
    return pattern.substring(0, parentToo ? wildcard - 1 : wildcard);
  }
}
