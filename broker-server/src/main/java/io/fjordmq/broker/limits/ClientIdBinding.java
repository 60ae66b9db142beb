package io.fjordmq.broker.limits;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.inbox.SessionUser;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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

  /** The kinds of users, in front of the name, so that a name is never mistaken for a subject. */
  private static final String USER_NAME = "u:";

  private static final String SUBJECT = "c:";

  private static String userName(ClientInfo client) {
    return storedName(Objects.requireNonNullElse(client.userName(), ""));
  }

  private static String subject(ClientInfo client) {
    return SUBJECT + Objects.requireNonNullElse(client.certificateSubject(), "");
  }

  /** Returns the name of the {@link SessionUser} whose clients have this MQTT user name. */
  public static String storedName(String userName) {
    return USER_NAME + userName;
  }

  /**
   * Returns the MQTT user name of the clients that a session belongs to; null if they have none, or
   * if the session belongs to a certificate subject.
   */
  public static @Nullable String userNameOf(@Nullable SessionUser user) {
    return user == null
            || !user.name().startsWith(USER_NAME)
            || user.name().length() == USER_NAME.length()
        ? null
        : user.name().substring(USER_NAME.length());
  }
}
