package io.fjordmq.api.plugin;

/**
 * What the node that would have to carry one more range has to do.
 *
 * @param cpu share of all its processors that the process and others use, 0 to 1
 * @param ranges replicas that it holds, of all stores
 * @param maxRanges how many it may hold
 */
public record NodeLoad(double cpu, int ranges, int maxRanges) {}
