package io.fjordmq.inbox;

/**
 * Names the inbox of a client.
 *
 * @param tenant without U+0000
 * @param clientId without U+0000
 */
public record InboxId(String tenant, String clientId) {
  /**
   * @throws IllegalArgumentException if one contains U+0000, which separates them in stored keys
   */
  public InboxId {
    if (tenant.indexOf(0) >= 0 || clientId.indexOf(0) >= 0) {
      throw new IllegalArgumentException("tenant or client identifier contains U+0000");
    }
  }
}
