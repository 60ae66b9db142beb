package io.fjordmq.router;

/**
 * Figures for metrics.
 *
 * @param routes this node knows
 * @param filters different patterns among them
 * @param cachedTopics topics whose match is remembered
 */
public record RouterStatus(long routes, int filters, int cachedTopics) {}
