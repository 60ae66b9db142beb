package io.fjordmq.broker.nodes;

/**
 * The state of all streams of this node, for gauges.
 *
 * @param streams live streams, one for each other live node
 * @param items items that are waiting or not acknowledged yet
 * @param bytes bytes of those items
 * @param full streams above their capacity
 */
public record NodesStatus(int streams, long items, long bytes, int full) {
  NodesStatus plus(NodesStatus other) {
    return new NodesStatus(
        streams + other.streams, items + other.items, bytes + other.bytes, full + other.full);
  }
}
