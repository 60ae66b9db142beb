package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import org.jspecify.annotations.Nullable;

/**
 * Selects stored sessions. A component that is null selects all. The user of a session is known
 * only if the session belongs to it ({@link SessionUser}).
 *
 * @param tenant exact tenant; the scan skips other tenants without reading their sessions
 * @param clientIdPart text that the client identifier contains
 * @param userName exact user name
 * @param userNamePart text that the user name contains
 * @param attached true for sessions that are attached to a connection, false for all others
 */
public record SessionFilter(
    @Nullable String tenant,
    @Nullable String clientIdPart,
    @Nullable String userName,
    @Nullable String userNamePart,
    @Nullable Boolean attached) {
  /*
   *   1  flags   bit 0 tenant, 1 clientIdPart, 2 userName, 3 userNamePart, 4 attached, 5 its value
   *   s  each text that is present
   */

  /** Selects all sessions. */
  public static final SessionFilter ALL = new SessionFilter(null, null, null, null, null);

  /** Returns the filter for all sessions of a tenant; of all tenants if null. */
  public static SessionFilter ofTenant(@Nullable String tenant) {
    return new SessionFilter(tenant, null, null, null, null);
  }

  boolean matches(InboxState state) {
    InboxId id = state.handle().id();
    SessionUser user = state.user();
    String name = user == null ? "" : user.name();
    return (clientIdPart == null || id.clientId().contains(clientIdPart))
        && (userName == null || (user != null && name.equals(userName)))
        && (userNamePart == null || (user != null && name.contains(userNamePart)))
        && (attached == null || attached == (state.owner() != null));
  }

  void write(ByteWriter out) {
    out.writeByte(
        (tenant != null ? 1 : 0)
            | (clientIdPart != null ? 1 << 1 : 0)
            | (userName != null ? 1 << 2 : 0)
            | (userNamePart != null ? 1 << 3 : 0)
            | (attached != null ? 1 << 4 : 0)
            | (attached != null && attached ? 1 << 5 : 0));
    writeIfPresent(out, tenant);
    writeIfPresent(out, clientIdPart);
    writeIfPresent(out, userName);
    writeIfPresent(out, userNamePart);
  }

  static SessionFilter read(ByteReader in) {
    int flags = in.readByte();
    return new SessionFilter(
        readIf(flags & 1, in),
        readIf(flags & 1 << 1, in),
        readIf(flags & 1 << 2, in),
        readIf(flags & 1 << 3, in),
        (flags & 1 << 4) == 0 ? null : (flags & 1 << 5) != 0);
  }

  private static void writeIfPresent(ByteWriter out, @Nullable String text) {
    if (text != null) {
      out.writeString(text);
    }
  }

  private static @Nullable String readIf(int flag, ByteReader in) {
    return flag == 0 ? null : in.readString();
  }
}
