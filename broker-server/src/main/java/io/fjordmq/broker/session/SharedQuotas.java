package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.limits.ConnectionLimits;
import io.fjordmq.broker.limits.ConnectionQuota;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.QuotaTable;
import io.fjordmq.broker.limits.SharedRateLimit;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits that a connection shares with other connections: those of its address, its user and
 * its tenant. The quotas of the address and the user are released when the channel closes. Without
 * such limits, nothing is tracked. Only used on the event loop.
 */
final class SharedQuotas {
  /** How long a connection waits at most for its turn, before it is refused. */
  static final long MAX_DELAY_MILLIS = 5_000;

  /** A rate of publishes that the connection shares, and its limit. */
  record PublishRate(SharedRateLimit rate, int perSecond, Limit limit) {}

  private final Tenants tenants;
  private final Channel channel;
  private QuotaTable.@Nullable Entry address;
  private QuotaTable.@Nullable Entry user;

  SharedQuotas(Tenants tenants, Channel channel) {
    this.tenants = tenants;
    this.channel = channel;
  }

  /**
   * Admits the connection of an address.
   *
   * @param from null if the client has none
   * @return the number of milliseconds that the CONNECT must wait
   * @throws ProtocolViolation if the address has too many connections
   */
  long admitAddress(@Nullable InetAddress from, long nowMillis, int protocolLevel) {
    if (from == null || tenants.addressLimits().equals(ConnectionLimits.NONE)) {
      return 0;
    }
    QuotaTable.Entry entry = tenants.enterAddress(from, nowMillis);
    long delay =
        admit(
            entry,
            tenants.addresses(),
            entry.quota().admit(nowMillis, false, MAX_DELAY_MILLIS),
            new Limit[] {Limit.ADDRESS_CONNECTIONS, Limit.ADDRESS_CONNECTION_RATE},
            protocolLevel);
    address = entry;
    return delay;
  }

  /**
   * Admits the connection of a user; clients without a user name are not limited.
   *
   * @param replaces whether the client takes over its own connection
   * @return the number of milliseconds that the CONNECT must wait
   * @throws ProtocolViolation if the user has too many connections
   */
  long admitUser(ClientInfo client, boolean replaces, long nowMillis, int protocolLevel) {
    String name = client.userName();
    if (name == null || tenants.of(client.tenant()).user().equals(ConnectionLimits.NONE)) {
      return 0;
    }
    QuotaTable.Entry entry = tenants.enterUser(client.tenant(), name, nowMillis);
    long delay =
        admit(
            entry,
            tenants.users(),
            entry.quota().admit(nowMillis, replaces, MAX_DELAY_MILLIS),
            new Limit[] {Limit.USER_CONNECTIONS, Limit.USER_CONNECTION_RATE},
            protocolLevel);
    user = entry;
    return delay;
  }

  /**
   * @param limits the limits of the number and the rate of connections
   */
  private long admit(
      QuotaTable.Entry entry,
      QuotaTable table,
      ConnectionQuota.Admission admission,
      Limit[] limits,
      int protocolLevel) {
    ConnectionQuota.Exceeded exceeded = admission.exceeded();
    if (exceeded == null) {
      leaveOnClose(entry, table);
      return admission.delayMillis();
    }
    table.release(entry, tenants.nowMillis());
    boolean tooMany = exceeded == ConnectionQuota.Exceeded.CONNECTIONS;
    Limit limit = tooMany ? limits[0] : limits[1];
    throw new ProtocolViolation(
        tooMany ? CloseReason.QUOTA_EXCEEDED : CloseReason.CONNECTION_RATE_EXCEEDED,
        limit.key() + " reached",
        protocolLevel,
        limit);
  }

  private void leaveOnClose(QuotaTable.Entry entry, QuotaTable table) {
    channel
        .closeFuture()
        .addListener(
            closed -> {
              entry.quota().release();
              table.release(entry, tenants.nowMillis());
            });
  }

  /** Returns the rates of publishes that the current limits prescribe for an admitted client. */
  List<PublishRate> publishRates(ClientInfo client) {
    enterLate(client);
    List<PublishRate> rates = new ArrayList<>(3);
    add(rates, tenants.quota(client.tenant()), Limit.TENANT_PUBLISH_RATE);
    if (user != null) {
      add(rates, user.quota(), Limit.USER_PUBLISH_RATE);
    }
    if (address != null) {
      add(rates, address.quota(), Limit.ADDRESS_PUBLISH_RATE);
    }
    return List.copyOf(rates); // takes no memory if there are none
  }

  /** Limits may have been set after the client connected. */
  private void enterLate(ClientInfo client) {
    String name = client.userName();
    InetAddress from = client.address();
    if (user == null
        && name != null
        && !tenants.of(client.tenant()).user().equals(ConnectionLimits.NONE)) {
      user = tenants.enterUser(client.tenant(), name, tenants.nowMillis());
      user.quota().admitExisting();
      leaveOnClose(user, tenants.users());
    }
    if (address == null && from != null && !tenants.addressLimits().equals(ConnectionLimits.NONE)) {
      address = tenants.enterAddress(from, tenants.nowMillis());
      address.quota().admitExisting();
      leaveOnClose(address, tenants.addresses());
    }
  }

  private static void add(List<PublishRate> rates, ConnectionQuota quota, Limit limit) {
    int perSecond = quota.limits().publishesPerSecond();
    if (perSecond > 0) {
      rates.add(new PublishRate(quota.publishRate(), perSecond, limit));
    }
  }
}
