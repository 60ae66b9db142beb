package io.fjordmq.broker.dispatch;

/**
 * Identifies a share: all shared subscriptions with the same share name and the same filter (MQTT
 * 5.0 §4.8.2).
 */
public record ShareKey(String tenant, String shareName, String pattern) {

  /**
   * Returns the share of a message that is stored in an inbox.
   *
   * @param share the share in the format of {@link #text}
   */
  public static ShareKey of(String tenant, String share) {
    int slash = share.indexOf('/');
    return new ShareKey(tenant, share.substring(0, slash), share.substring(slash + 1));
  }

  /** The share name and the filter, in the format that inboxes store. */
  public String text() {
    return shareName + "/" + pattern;
  }

  /** The filter as it appears in a SUBSCRIBE packet. */
  public String filterText() {
    return "$share/" + shareName + "/" + pattern;
  }
}
