package io.fjordmq.inbox;

/**
 * Identifies the inbox of a client.
 *
 * @param tenant well-formed Unicode without U+0000
 * @param clientId well-formed Unicode without U+0000
 */
public record InboxId(String tenant, String clientId) {
  /** Number of buckets, and therefore the maximum number of ranges; a bucket is never split. */
  public static final int BUCKETS = 4096;

  /**
   * Validates both names.
   *
   * @throws IllegalArgumentException if one contains U+0000, which separates them in stored keys,
   *     or an unpaired surrogate, which UTF-8 cannot encode
   */
  public InboxId {
    check(tenant, "tenant");
    check(clientId, "client identifier");
  }

  /** Returns the bucket of its rows, 0 to {@link #BUCKETS} - 1. */
  public int bucket() {
    return (int) (hash() >>> 52);
  }

  /** Returns the start of the keys of its bucket, which routes its commands to their range. */
  public byte[] routingKey() {
    int bucket = bucket();
    return new byte[] {(byte) (bucket >>> 8), (byte) bucket};
  }

  /**
   * Returns the 64-bit FNV-1a hash over the UTF-16 units of tenant, U+0000 and client identifier,
   * then mixed, because FNV-1a alone does not distribute the upper bits well. Part of the storage
   * format; must never change.
   */
  long hash() {
    long hash = addTo(0xcbf2_9ce4_8422_2325L, tenant);
    hash = addTo(hash * 0x100_0000_01b3L, clientId);
    return mix(hash);
  }

  private static long addTo(long hash, String text) {
    long sum = hash;
    for (int i = 0; i < text.length(); i++) {
      sum = (sum ^ text.charAt(i)) * 0x100_0000_01b3L;
    }
    return sum;
  }

  /** Applies the finalizer of SplitMix64. */
  static long mix(long value) {
    long z = value + 0x9e37_79b9_7f4a_7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return z ^ (z >>> 31);
  }

  /** Returns an upper bound of its encoded size in bytes. */
  public int maxBytes() {
    return 3 * (tenant.length() + clientId.length()) + 10;
  }

  private static void check(String text, String what) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        throw new IllegalArgumentException(what + " contains U+0000");
      }
      if (Character.isSurrogate(c)) {
        boolean pair = i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1));
        if (!pair) {
          throw new IllegalArgumentException(what + " contains an unpaired surrogate");
        }
        i++;
      }
    }
  }
}
