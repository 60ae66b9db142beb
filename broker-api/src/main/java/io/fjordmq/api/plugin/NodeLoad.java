package io.fjordmq.api.plugin;

/**
 * The load of the node that would host the additional range after a split.
 *
 * @param cpu CPU utilization of the host across all processors and processes, 0 to 1
 * @param ranges number of replicas on the node, of all stores
 * @param maxRanges maximum number of replicas on the node
 * @since 0.1.0
 */
public record NodeLoad(double cpu, int ranges, int maxRanges) {}
