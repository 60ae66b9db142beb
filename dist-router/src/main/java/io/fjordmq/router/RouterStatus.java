package io.fjordmq.router;

/**
 * The router of one node at a moment.
 *
 * @param routes that are matched here
 * @param filters different patterns among them, of all tenants
 * @param cachedTopics topics whose routes are remembered
 * @param cacheHits matches answered from the cache, since start
 * @param cacheMisses matches made anew, since start
 * @param cacheInvalidations remembered topics forgotten because a route of theirs changed, since
 *     start
 * @param cacheEvictions remembered topics forgotten to make room, since start
 * @param waitingForNodes changes that are committed and not known to be applied by all living nodes
 */
public record RouterStatus(
    long routes,
    int filters,
    int cachedTopics,
    long cacheHits,
    long cacheMisses,
    long cacheInvalidations,
    long cacheEvictions,
    int waitingForNodes) {

  RouterStatus withWaitingForNodes(int waiting) {
    return new RouterStatus(
        routes,
        filters,
        cachedTopics,
        cacheHits,
        cacheMisses,
        cacheInvalidations,
        cacheEvictions,
        waiting);
  }
}
