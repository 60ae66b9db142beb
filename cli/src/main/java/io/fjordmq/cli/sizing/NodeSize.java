package io.fjordmq.cli.sizing;

/**
 * The resources that one node has, or that a workload needs on it.
 *
 * @param cores processor cores; a need counts fully used ones
 * @param memoryBytes memory of the process
 * @param diskBytes disk space
 * @param networkBytes bytes per second, in the direction with more of them
 */
public record NodeSize(double cores, double memoryBytes, double diskBytes, double networkBytes) {}
