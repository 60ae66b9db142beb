package io.fjordmq.broker.events;

import org.jspecify.annotations.Nullable;

/**
 * An event of a client, with the time at which it happened. If it happened several times, the event
 * is the latest of them.
 *
 * @param tenant the client's tenant; null if the client was not authenticated
 * @param atMillis when it happened last, in milliseconds since 1970
 * @param firstAtMillis when it happened first
 * @param count how often it happened; at least 1
 */
public record RecordedEvent(
    @Nullable String tenant, long atMillis, long firstAtMillis, long count, ClientEvent event) {

  /** Returns one line for operators that explains the event. */
  public String message() {
    return event.message(count);
  }
}
