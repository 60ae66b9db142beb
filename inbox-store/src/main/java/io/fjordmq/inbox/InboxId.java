package io.fjordmq.inbox;

/**
 * Identifies the inbox of a client.
 *
 * @param tenant well-formed Unicode without U+0000
 * @param clientId well-formed Unicode without U+0000
 */
public record InboxId(String tenant, String clientId) {
  /** Number of buckets of the store. A bucket is never split between ranges. */
  public static final int BUCKETS = InboxKeys.BUCKETS;

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
    return InboxKeys.bucket(this);
  }

  /** Returns an upper bound of its encoded size in bytes. */
  int maxBytes() {
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
