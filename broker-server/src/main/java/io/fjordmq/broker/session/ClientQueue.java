package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import java.util.List;

/**
 * Messages for a connected client, as operators see them.
 *
 * @param sentBelow exclusive upper bound of the inbox sequences that were sent; the messages of a
 *     persistent session from there on wait in its inbox
 * @param inflight messages that the client has not acknowledged, in order
 * @param queued messages that wait in memory, in order
 */
public record ClientQueue(long sentBelow, List<InFlight> inflight, List<Queued> queued) {
  /** The packet that a message in flight waits for. */
  public enum Awaited {
    PUBACK,
    PUBREC,
    PUBCOMP
  }

  /**
   * A message in flight.
   *
   * @param sequence its position, which is that in the inbox if the session is persistent
   */
  public record InFlight(long sequence, int packetId, Awaited awaited) {}

  /**
   * A message that waits in memory.
   *
   * @param message the message, whose payload may be shortened
   * @param qos QoS of the delivery
   * @param retain RETAIN flag of the delivery
   * @param payloadBytes size of the whole payload
   */
  public record Queued(Message message, Qos qos, boolean retain, int payloadBytes) {}

  /**
   * The part of the queue to read.
   *
   * @param inflightFrom messages in flight with a lower sequence are omitted
   * @param maxInflight maximum number of messages in flight; 0 for none
   * @param skipQueued number of queued messages to skip
   * @param maxQueued maximum number of queued messages; 0 for none
   * @param maxPayloadBytes size to which payloads are shortened
   */
  public record Selection(
      long inflightFrom, int maxInflight, int skipQueued, int maxQueued, int maxPayloadBytes) {}
}
