package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import java.util.List;

/**
 * Figures of a client.
 *
 * @param queriesInFlight queries sent and not answered
 */
public record ClientStatus(List<RangeQueue> ranges, int queriesInFlight) {
  /**
   * What waits for one range.
   *
   * @param leader the replica it asks
   * @param queuedCommands waiting for the batch in the air
   * @param queuedBytes their bytes
   * @param sentCommands in the batch in the air
   * @param failedAttempts of that batch
   */
  public record RangeQueue(
      RangeId range,
      NodeId leader,
      int queuedCommands,
      long queuedBytes,
      int sentCommands,
      int failedAttempts) {}
}
