package io.fjordmq.broker.query;

import io.fjordmq.broker.limits.ClientIdBinding;
import io.fjordmq.broker.session.ClientAttributes;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.inbox.SessionFilter;
import io.fjordmq.inbox.StoredSession;
import org.jspecify.annotations.Nullable;

/**
 * Selects clients. A component that is null selects all; so does protocol level 0. The user name of
 * an offline session is that of the client that created it; it is unknown if sessions belong to
 * certificates ({@code sessionConfig.bindClientIdTo}).
 *
 * @param tenant exact tenant
 * @param node id of the node that the client is connected to
 * @param clientIdPart text that the client identifier contains
 * @param userName exact user name
 * @param userNamePart text that the user name contains
 * @param address exact IP address
 * @param connected true for connected clients, false for offline sessions
 * @param cleanStart whether the client connected with Clean Start
 * @param protocolLevel 3, 4 or 5
 * @param connectedAt when the client connected
 * @param createdAt when the session was created
 */
public record ClientFilter(
    @Nullable String tenant,
    @Nullable String node,
    @Nullable String clientIdPart,
    @Nullable String userName,
    @Nullable String userNamePart,
    @Nullable String address,
    @Nullable Boolean connected,
    @Nullable Boolean cleanStart,
    int protocolLevel,
    TimeSpan connectedAt,
    TimeSpan createdAt) {
  /*
   *   1  flags   bit 0 tenant, 1 clientIdPart, 2 userName, 3 userNamePart, 4 address, 5 cleanStart,
   *              6 its value
   *   s  each text that is present
   *   v  protocolLevel
   *   v  connectedAt from, v connectedAt to + 1; 0 if unbounded
   */

  /** Selects all clients. */
  public static final ClientFilter ALL = ofTenant(null);

  /**
   * A span of time, in epoch milliseconds.
   *
   * @param from inclusive; 0 for no bound
   * @param to inclusive; {@link Long#MAX_VALUE} for no bound
   */
  public record TimeSpan(long from, long to) {
    /** All times. */
    public static final TimeSpan ALWAYS = new TimeSpan(0, Long.MAX_VALUE);

    boolean contains(long millis) {
      return from <= millis && millis <= to;
    }
  }

  /** Returns the filter for all clients of a tenant; of all tenants if null. */
  public static ClientFilter ofTenant(@Nullable String tenant) {
    return new ClientFilter(
        tenant, null, null, null, null, null, null, null, 0, TimeSpan.ALWAYS, TimeSpan.ALWAYS);
  }

  /** Returns whether only connected clients can match. */
  boolean excludesOffline() {
    return node != null
        || address != null
        || cleanStart != null
        || protocolLevel != 0
        || !connectedAt.equals(TimeSpan.ALWAYS)
        || (connected != null && connected);
  }

  /** Returns whether only offline sessions can match. */
  boolean excludesConnected() {
    return connected != null && !connected;
  }

  /** Returns whether all clients match, possibly of one tenant only. */
  boolean selectsAll() {
    return equals(ofTenant(tenant));
  }

  /**
   * Returns what the inbox store can check. It compares parts of user names with its own notation,
   * so it may return too many sessions, but never too few; {@link #matchesUserOf} selects among
   * them.
   */
  SessionFilter ofStored() {
    return new SessionFilter(
        tenant,
        clientIdPart,
        userName == null ? null : ClientIdBinding.storedName(userName),
        userNamePart,
        excludesConnected() ? Boolean.FALSE : null);
  }

  /** Returns whether the user of a session matches. */
  boolean matchesUserOf(StoredSession session) {
    return matchesUser(ClientIdBinding.userNameOf(session.user()));
  }

  /** Returns whether the user name matches. */
  boolean matchesUser(@Nullable String user) {
    return (userName == null || userName.equals(user))
        && (userNamePart == null || (user != null && user.contains(userNamePart)));
  }

  /** Returns whether a connected client matches, apart from its node and session. */
  boolean matches(ClientAttributes client) {
    return (tenant == null || client.tenant().equals(tenant))
        && (clientIdPart == null || client.clientId().contains(clientIdPart))
        && matchesUser(client.userName())
        && (address == null || client.address().equals(address))
        && (cleanStart == null || client.cleanStart() == cleanStart)
        && (protocolLevel == 0 || client.protocolLevel() == protocolLevel)
        && connectedAt.contains(client.connectedAtMillis());
  }

  /** Returns whether a client that was found by its identifier matches. */
  public boolean matches(ClientRow row) {
    LiveClient live = row.live();
    StoredSession stored = row.stored();
    String user = stored == null ? null : ClientIdBinding.userNameOf(stored.user());
    boolean described =
        live != null
            ? matches(live.attributes())
            : (tenant == null || row.id().tenant().equals(tenant))
                && (clientIdPart == null || row.id().clientId().contains(clientIdPart))
                && matchesUser(user);
    return described
        && (node == null || node.equals(row.node()))
        && !(excludesOffline() && live == null)
        && !(excludesConnected() && row.connected())
        && createdAt.contains(row.createdAtMillis());
  }

  /** Writes what {@link #matches(ClientAttributes)} needs. */
  void write(ByteWriter out) {
    out.writeByte(
        (tenant != null ? 1 : 0)
            | (clientIdPart != null ? 1 << 1 : 0)
            | (userName != null ? 1 << 2 : 0)
            | (userNamePart != null ? 1 << 3 : 0)
            | (address != null ? 1 << 4 : 0)
            | (cleanStart != null ? 1 << 5 : 0)
            | (cleanStart != null && cleanStart ? 1 << 6 : 0));
    for (String text :
        new @Nullable String[] {tenant, clientIdPart, userName, userNamePart, address}) {
      if (text != null) {
        out.writeString(text);
      }
    }
    out.writeVarint(protocolLevel)
        .writeVarint(connectedAt.from)
        .writeVarint(connectedAt.to == Long.MAX_VALUE ? 0 : Math.max(0, connectedAt.to) + 1);
  }

  static ClientFilter read(ByteReader in) {
    int flags = in.readByte();
    String tenant = readIf(flags & 1, in);
    String clientIdPart = readIf(flags & 1 << 1, in);
    String userName = readIf(flags & 1 << 2, in);
    String userNamePart = readIf(flags & 1 << 3, in);
    String address = readIf(flags & 1 << 4, in);
    Boolean cleanStart = (flags & 1 << 5) == 0 ? null : (flags & 1 << 6) != 0;
    int protocolLevel = in.readInt();
    long from = in.readVarint();
    long to = in.readVarint();
    return new ClientFilter(
        tenant,
        null,
        clientIdPart,
        userName,
        userNamePart,
        address,
        null,
        cleanStart,
        protocolLevel,
        new TimeSpan(from, to == 0 ? Long.MAX_VALUE : to - 1),
        TimeSpan.ALWAYS);
  }

  private static @Nullable String readIf(int flag, ByteReader in) {
    return flag == 0 ? null : in.readString();
  }
}
