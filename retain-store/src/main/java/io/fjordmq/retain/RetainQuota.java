package io.fjordmq.retain;

/** How much each tenant may have retained. Called for every retained publish; thread-safe. */
public interface RetainQuota {

  /**
   * Limits of one tenant; 0 stands for none.
   *
   * @param maxMessages beyond, messages for new topics are refused
   * @param maxBytes as stored; beyond, what would add to them is refused
   */
  record Limits(long maxMessages, long maxBytes) {
    public static final Limits NONE = new Limits(0, 0);
  }

  /** Nobody is limited. */
  RetainQuota NONE = tenant -> Limits.NONE;

  /** The limits of a tenant. */
  Limits of(String tenant);

  /** A message of the tenant was refused. */
  default void refused(String tenant, RetainStore.PutOutcome why) {}
}
