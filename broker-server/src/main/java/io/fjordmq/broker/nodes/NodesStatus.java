package io.fjordmq.broker.nodes;

/**
 * Figures of all streams of this node, for gauges.
 *
 * @param streams other nodes that are alive
 * @param items that wait or are not answered yet
 * @param bytes of these
 * @param full streams that take no messages at the moment
 */
public record NodesStatus(int streams, long items, long bytes, int full) {
  NodesStatus plus(NodesStatus other) {
    return new NodesStatus(
        streams + other.streams, items + other.items, bytes + other.bytes, full + other.full);
  }
}
