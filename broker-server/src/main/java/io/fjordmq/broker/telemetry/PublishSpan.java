package io.fjordmq.broker.telemetry;

/** The span of a publish, from its receipt until its acknowledgement or outcome. */
public interface PublishSpan extends MessageSpan {
  /** The span during which the receivers are found. */
  interface RouteSpan {
    /**
     * Ends the span.
     *
     * @param nodes nodes with matching connected clients
     * @param inboxes matching persistent sessions
     * @param shares matching shared subscriptions
     */
    void end(int nodes, int inboxes, int shares);
  }

  /** Begins the span during which the receivers are found. */
  RouteSpan beginRoute();

  /**
   * Begins the span during which the message is appended to inboxes: until it is committed.
   *
   * @param inboxes the number of inboxes
   */
  MessageSpan beginStore(int inboxes);

  /** Begins the span during which the message is retained: until that is committed. */
  MessageSpan beginRetain();
}
