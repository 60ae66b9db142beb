package io.fjordmq.retain;

/**
 * Limits on the retained messages of each tenant. Called for every retained publish;
 * implementations must be thread-safe.
 */
public interface RetainQuota {

  /**
   * Limits of one tenant; 0 means unlimited.
   *
   * @param maxMessages maximum messages; beyond it, messages for new topics are rejected
   * @param maxBytes maximum size as stored; beyond it, messages that would increase the size are
   *     rejected
   */
  record Limits(long maxMessages, long maxBytes) {
    public static final Limits NONE = new Limits(0, 0);
  }

  /** No limits for any tenant. */
  RetainQuota NONE = tenant -> Limits.NONE;

  /** Returns the limits of a tenant. */
  Limits of(String tenant);

  /** Called when a message of the tenant was rejected. */
  default void onRejected(String tenant, RetainStore.PutOutcome why) {}
}
