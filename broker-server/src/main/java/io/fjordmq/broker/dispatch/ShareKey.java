package io.fjordmq.broker.dispatch;

/**
 * Identifies a share: all shared subscriptions with the same share name and the same filter (MQTT
 * 5.0 §4.8.2).
 */
public record ShareKey(String tenant, String shareName, String pattern) {

  /**
   * The share of a message that an inbox holds.
   *
   * @param share see {@link #text}
   */
  public static ShareKey of(String tenant, String share) {
    int slash = share.indexOf('/');
    return new ShareKey(tenant, share.substring(0, slash), share.substring(slash + 1));
  }

  /** Name and filter, as inboxes store them. */
  public String text() {
    return shareName + "/" + pattern;
  }

  /** The filter as in a SUBSCRIBE packet. */
  public String filterText() {
    return "$share/" + shareName + "/" + pattern;
  }
}
