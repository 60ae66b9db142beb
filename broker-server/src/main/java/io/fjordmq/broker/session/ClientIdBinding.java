package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.inbox.SessionUser;
import java.util.Objects;

/** Whom a client identifier belongs to while its session lasts. */
public enum ClientIdBinding {
  /**
   * Nobody: any client that may connect can take the session over. It is remembered whose it is, so
   * that nothing that waits is lost to somebody who may not read it.
   */
  NONE {
    @Override
    SessionUser user(ClientInfo client) {
      boolean byCertificate = client.userName() == null && client.certificateSubject() != null;
      return new SessionUser(byCertificate ? subject(client) : userName(client), false);
    }
  },
  /** The user name; clients without one are one user. */
  USERNAME {
    @Override
    SessionUser user(ClientInfo client) {
      return new SessionUser(userName(client), true);
    }
  },
  /** The subject of the client's certificate; clients without one are one user. */
  CERTIFICATE {
    @Override
    SessionUser user(ClientInfo client) {
      return new SessionUser(subject(client), true);
    }
  };

  /** Whom a session that the client begins belongs to. */
  abstract SessionUser user(ClientInfo client);

  private static String userName(ClientInfo client) {
    return "u:" + Objects.requireNonNullElse(client.userName(), "");
  }

  private static String subject(ClientInfo client) {
    return "c:" + Objects.requireNonNullElse(client.certificateSubject(), "");
  }
}
