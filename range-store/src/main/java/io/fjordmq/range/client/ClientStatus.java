package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import java.util.List;

/**
 * Status of a client, for metrics and status pages.
 *
 * @param queriesInFlight queries without a response yet
 */
public record ClientStatus(List<RangeQueue> ranges, int queriesInFlight) {
  /**
   * Queued and sent commands for one range.
   *
   * @param leader the replica that the client sends to
   * @param queuedCommands commands waiting behind the batch in flight
   * @param queuedBytes total size of these commands
   * @param sentCommands commands in the batch in flight
   * @param failedAttempts failed attempts of that batch
   */
  public record RangeQueue(
      RangeId range,
      NodeId leader,
      int queuedCommands,
      long queuedBytes,
      int sentCommands,
      int failedAttempts) {}
}
