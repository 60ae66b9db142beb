package io.fjordmq.inbox;

/**
 * Names the inbox of a client.
 *
 * @param tenant well-formed Unicode without U+0000
 * @param clientId well-formed Unicode without U+0000
 */
public record InboxId(String tenant, String clientId) {
  /** How many parts the store has that are never cut; a range holds whole ones. */
  public static final int BUCKETS = InboxKeys.BUCKETS;

  /**
   * @throws IllegalArgumentException if one contains U+0000, which separates them in stored keys,
   *     or half a surrogate pair, which UTF-8 cannot store
   */
  public InboxId {
    check(tenant, "tenant");
    check(clientId, "client identifier");
  }

  /** In which of them its rows are, 0 to {@link #BUCKETS} - 1. */
  public int bucket() {
    return InboxKeys.bucket(this);
  }

  /** At least as many bytes as it has when encoded. */
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
          throw new IllegalArgumentException(what + " contains half a surrogate pair");
        }
        i++;
      }
    }
  }
}
