package io.fjordmq.broker.bans;

import io.fjordmq.api.plugin.ClientInfo;
import java.net.InetAddress;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The bans in effect as this node knows them. Thread-safe; lookups do not block and cost a few hash
 * lookups, or nothing if there are no bans.
 */
public final class BanList {
  private final InstantSource clock;
  private volatile BanTable table = BanTable.EMPTY;

  BanList(InstantSource clock) {
    this.clock = clock;
  }

  /** Returns a list without bans. */
  public static BanList empty() {
    return new BanList(InstantSource.system());
  }

  /**
   * Returns a ban of a client that is not authenticated yet; null if there is none. Considers only
   * bans for all tenants, because the tenant is not known yet.
   *
   * @param address null if the client has none
   */
  public @Nullable Ban find(String clientId, @Nullable InetAddress address) {
    BanTable current = table;
    if (current.isEmpty()) {
      return null;
    }
    Instant now = clock.instant();
    return current.find(
        clientId, null, address, ban -> ban.tenant() == null && !ban.isExpired(now));
  }

  /** Returns a ban of an authenticated client; null if there is none. */
  public @Nullable Ban find(ClientInfo client) {
    BanTable current = table;
    if (current.isEmpty()) {
      return null;
    }
    Instant now = clock.instant();
    return current.find(
        client.clientId(),
        client.userName(),
        client.address(),
        ban -> ban.appliesTo(client.tenant()) && !ban.isExpired(now));
  }

  BanTable table() {
    return table;
  }

  void replace(BanTable next) {
    table = next;
  }
}
