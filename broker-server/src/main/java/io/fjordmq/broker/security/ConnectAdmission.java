package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Permissions;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The result of authenticating a CONNECT. */
@SuppressWarnings("ArrayRecordComponent") // only passed on, never compared
public sealed interface ConnectAdmission {

  /**
   * The client may connect.
   *
   * @param permissions of this client; null if there are none of its own
   * @param data Authentication Data for the client; empty for none
   */
  record Admitted(ClientInfo client, @Nullable Permissions permissions, byte[] data)
      implements ConnectAdmission {}

  /** The client has to continue with another AUTH; only in an {@link AuthenticationExchange}. */
  record Challenge(byte[] data) implements ConnectAdmission {}

  /**
   * The client is refused.
   *
   * @param detail reason for operators
   */
  record Refused(Refusal refusal, String detail) implements ConnectAdmission {}

  /** The reason sent to a refused client. */
  enum Refusal {
    BAD_USER_NAME_OR_PASSWORD,
    NOT_AUTHORIZED,
    SERVER_UNAVAILABLE,
    SERVER_BUSY,
    BANNED,
    BAD_AUTHENTICATION_METHOD,
    /** Too many logins failed from its address. */
    CONNECTION_RATE_EXCEEDED;

    static Refusal of(DenyReason reason) {
      return valueOf(reason.name());
    }

    /** Text for the log. */
    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }
}
