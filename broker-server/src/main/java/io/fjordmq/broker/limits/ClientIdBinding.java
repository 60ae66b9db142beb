package io.fjordmq.broker.limits;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.inbox.SessionUser;
import java.util.Objects;

/** Which user a client identifier belongs to while its session lasts. */
public enum ClientIdBinding {
  /**
   * No user: any client that may connect can take the session over. The session still records its
   * user, so that waiting messages are not dropped because a client of another user may not read
   * them.
   */
  NONE {
    @Override
    public SessionUser user(ClientInfo client) {
      boolean byCertificate = client.userName() == null && client.certificateSubject() != null;
      return new SessionUser(byCertificate ? subject(client) : userName(client), false);
    }
  },
  /** The client's user name. Clients without one count as one user. */
  USERNAME {
    @Override
    public SessionUser user(ClientInfo client) {
      return new SessionUser(userName(client), true);
    }
  },
  /** The subject of the client's certificate. Clients without one count as one user. */
  CERTIFICATE {
    @Override
    public SessionUser user(ClientInfo client) {
      return new SessionUser(subject(client), true);
    }
  };

  /** The user of a session that this client creates. */
  public abstract SessionUser user(ClientInfo client);

  private static String userName(ClientInfo client) {
    return "u:" + Objects.requireNonNullElse(client.userName(), "");
  }

  private static String subject(ClientInfo client) {
    return "c:" + Objects.requireNonNullElse(client.certificateSubject(), "");
  }
}
