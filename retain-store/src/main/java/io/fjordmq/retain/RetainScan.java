package io.fjordmq.retain;

import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a filter matches in one range: a scan per bucket, over the topics that begin with what
 * the filter says before its first wildcard. Bounded: it stops after so many messages, bytes or
 * rows and says where to go on.
 */
final class RetainScan {
  /** Rows looked at per page; a page may be empty because of it, and the caller asks on. */
  static final int MAX_ROWS = 4_096;

  private final RetainQuery query;
  private final KeyInterval interval;
  private final TopicFilter filter;
  private final String literal;
  private final boolean oneBucket;
  private final int tenantBytes;

  private final List<byte[]> found = new ArrayList<>();
  private int foundBytes;
  private int rows;
  private byte @Nullable [] stoppedAt;

  RetainScan(RetainQuery query, KeyInterval interval) {
    this.query = query;
    this.interval = interval;
    this.filter = TopicFilter.parse(query.pattern());
    this.literal = literalPrefix(query.pattern());
    this.oneBucket = firstLevelIsLiteral(query.pattern());
    this.tenantBytes = query.tenant().getBytes(StandardCharsets.UTF_8).length;
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
    int bucket = query.from()[0] & 0xFF;
    byte[] from = query.from();
    while (true) {
      byte[] prefix = RetainKeys.key(bucket, query.tenant(), literal);
      byte[] begin = Arrays.compareUnsigned(from, prefix) > 0 ? from : prefix;
      if (!interval.contains(begin)) {
        return beyond(begin);
      }
      byte[] end = RetainKeys.after(prefix);
      if (end == null || Arrays.compareUnsigned(begin, end) < 0) {
        state.scan(begin, clipped(end), this::visit);
      }
      if (stoppedAt != null) {
        return new RetainAnswer(found, stoppedAt);
      }
      if (isCutBefore(end)) {
        return new RetainAnswer(found, interval.end());
      }
      if (oneBucket || bucket == RetainKeys.BUCKETS - 1) {
        return new RetainAnswer(found, null);
      }
      bucket++;
      from = new byte[] {(byte) bucket};
    }
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

  private boolean visit(byte[] key, byte[] row) {
    boolean full = found.size() >= query.maxMessages() || foundBytes >= query.maxBytes();
    if (full || rows >= MAX_ROWS) {
      stoppedAt = key;
      return false;
    }
    rows++;
    int topicAt = 3 + tenantBytes;
    String topic = new String(key, topicAt, key.length - topicAt, StandardCharsets.UTF_8);
    RetainRow.Head head = RetainRow.headOf(row);
    boolean isThere = !head.isMemory() && head.expiresAtMillis() > query.nowMillis();
    if (isThere && filter.matches(new Topic(topic))) {
      byte[] message = RetainRow.decode(row).message();
      found.add(message);
      foundBytes += message.length;
    }
    return true;
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
