package io.fjordmq.retain;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of retained messages.
 *
 * <pre>
 * +--------+---------------+------------------+----------------+
 * | bucket | tenant length | tenant, UTF-8    | topic, UTF-8   |
 * | u8     | u16           |                  |                |
 * +--------+---------------+------------------+----------------+
 * </pre>
 *
 * The bucket is a hash of tenant and first topic level. It spreads topics over the initial ranges,
 * and all topics that match a filter without a wildcard in its first level are in one bucket.
 * Within a bucket and tenant, topics are sorted by their bytes, so topics with a common prefix are
 * adjacent.
 */
public final class RetainKeys {
  static final int BUCKETS = 256;

  /** Offset of the tenant in a key. */
  static final int TENANT_AT = 3;

  private RetainKeys() {}

  public static byte[] of(String tenant, String topic) {
    return key(bucketOf(tenant, firstLevel(topic)), tenant, topic);
  }

  /** Returns the first possible key of a tenant's topics with this prefix in a bucket. */
  static byte[] key(int bucket, String tenant, String topicPrefix) {
    byte[] tenantBytes = tenant.getBytes(StandardCharsets.UTF_8);
    byte[] topicBytes = topicPrefix.getBytes(StandardCharsets.UTF_8);
    byte[] key = new byte[3 + tenantBytes.length + topicBytes.length];
    key[0] = (byte) bucket;
    key[1] = (byte) (tenantBytes.length >>> 8);
    key[2] = (byte) tenantBytes.length;
    System.arraycopy(tenantBytes, 0, key, 3, tenantBytes.length);
    System.arraycopy(topicBytes, 0, key, 3 + tenantBytes.length, topicBytes.length);
    return key;
  }

  /** Returns the offset of the topic in a key. */
  static int topicAt(byte[] key) {
    return TENANT_AT + ((key[1] & 0xFF) << 8 | (key[2] & 0xFF));
  }

  static String topicOf(byte[] key) {
    int at = topicAt(key);
    return new String(key, at, key.length - at, StandardCharsets.UTF_8);
  }

  /**
   * Returns the FNV-1a hash of tenant and level, folded to a byte. The hash is part of the storage
   * format and must never change.
   */
  static int bucketOf(String tenant, String firstLevel) {
    int hash = 0x811C9DC5;
    for (byte b : (tenant + '/' + firstLevel).getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * 0x01000193;
    }
    hash ^= hash >>> 16;
    return (hash ^ (hash >>> 8)) & 0xFF;
  }

  static String firstLevel(String topic) {
    int slash = topic.indexOf('/');
    return slash < 0 ? topic : topic.substring(0, slash);
  }

  /** Returns the first key after all keys with this prefix; null if there is no such key. */
  static byte @Nullable [] after(byte[] prefix) {
    for (int i = prefix.length - 1; i >= 0; i--) {
      if (prefix[i] != (byte) 0xFF) {
        byte[] next = Arrays.copyOf(prefix, i + 1);
        next[i]++;
        return next;
      }
    }
    return null;
  }

  /** Returns the split keys that divide the key space evenly into this many ranges. */
  static List<byte[]> evenSplits(int ranges) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 1; i < ranges; i++) {
      keys.add(new byte[] {(byte) (i * BUCKETS / ranges)});
    }
    return keys;
  }
}
