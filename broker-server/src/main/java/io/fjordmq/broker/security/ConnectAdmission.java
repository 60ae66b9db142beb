package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Permissions;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The result of authenticating a CONNECT. */
@SuppressWarnings("ArrayRecordComponent") // a data carrier; never compared
public sealed interface ConnectAdmission {

  /**
   * The client may connect.
   *
   * @param permissions the client's own permissions; null if it has none
   * @param data the Authentication Data for the client; empty for none
   * @param decidedBy the name of the provider that decided
   */
  record Admitted(
      ClientInfo client, @Nullable Permissions permissions, byte[] data, String decidedBy)
      implements ConnectAdmission {}

  /**
   * The client must continue with another AUTH packet. Only occurs in an {@link
   * AuthenticationExchange}.
   */
  record Challenge(byte[] data) implements ConnectAdmission {}

  /**
   * The client is refused.
   *
   * @param detail the reason, for operators
   * @param decidedBy the name of the provider that decided; empty if no provider did
   */
  record Refused(Refusal refusal, String detail, String decidedBy) implements ConnectAdmission {}

  /** The reason sent to a refused client. */
  enum Refusal {
    BAD_USER_NAME_OR_PASSWORD,
    NOT_AUTHORIZED,
    SERVER_UNAVAILABLE,
    SERVER_BUSY,
    BANNED,
    BAD_AUTHENTICATION_METHOD,
    /** Too many logins from the client's address have failed. */
    CONNECTION_RATE_EXCEEDED;

    static Refusal of(DenyReason reason) {
      return valueOf(reason.name());
    }

    /** The text for the log. */
    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }
}
