package io.fjordmq.router;

/**
 * A route as the store {@code dist} keeps it, for a cluster that is restored from a backup: its
 * routes are derived from the subscriptions of its sessions.
 *
 * @param key the key of its row
 * @param value the value of its row
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredRoute(byte[] key, byte[] value) {
  public static StoredRoute of(Route route) {
    return new StoredRoute(RouteKeys.of(route), RouteRow.encode(route.options()));
  }
}
