package io.fjordmq.router;

/**
 * Status of a node's router.
 *
 * @param routes routes that this node matches
 * @param filters distinct patterns of these routes, of all tenants
 * @param cachedTopics topics with cached routes
 * @param cacheHits matches served from the cache since start
 * @param cacheMisses matches computed from the trie since start
 * @param cacheInvalidations cached topics removed because a matching route changed, since start
 * @param cacheEvictions cached topics removed because the cache was full, since start
 * @param waitingForNodes committed changes that are not yet confirmed by all live nodes
 */
public record RouteStoreStatus(
    long routes,
    int filters,
    int cachedTopics,
    long cacheHits,
    long cacheMisses,
    long cacheInvalidations,
    long cacheEvictions,
    int waitingForNodes) {

  public RouteStoreStatus withWaitingForNodes(int waiting) {
    return new RouteStoreStatus(
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
