package io.fjordmq.broker.limits;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.inbox.SessionUser;
import java.util.Objects;

/** Determines the user to which a client identifier is bound while its session exists. */
public enum ClientIdBinding {
  /**
   * Client identifiers are not bound; any client that is allowed to connect can take over the
   * session. The session still records its user, so that waiting messages are not dropped just
   * because a client of another user may not read them.
   */
  NONE {
    @Override
    public SessionUser user(ClientInfo client) {
      boolean byCertificate = client.userName() == null && client.certificateSubject() != null;
      return new SessionUser(byCertificate ? subject(client) : userName(client), false);
    }
  },
  /**
   * Client identifiers are bound to the user name. All clients without a user name count as one
   * user.
   */
  USERNAME {
    @Override
    public SessionUser user(ClientInfo client) {
      return new SessionUser(userName(client), true);
    }
  },
  /**
   * Client identifiers are bound to the subject of the client certificate. All clients without a
   * certificate count as one user.
   */
  CERTIFICATE {
    @Override
    public SessionUser user(ClientInfo client) {
      return new SessionUser(subject(client), true);
    }
  };

  /** Returns the user of a session that this client creates. */
  public abstract SessionUser user(ClientInfo client);

  private static String userName(ClientInfo client) {
    return "u:" + Objects.requireNonNullElse(client.userName(), "");
  }

  private static String subject(ClientInfo client) {
    return "c:" + Objects.requireNonNullElse(client.certificateSubject(), "");
  }
}
