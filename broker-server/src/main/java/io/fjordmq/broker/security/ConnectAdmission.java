package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Permissions;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What becomes of a client that wants to connect. */
@SuppressWarnings("ArrayRecordComponent") // carriers; never compared
public sealed interface ConnectAdmission {

  /**
   * It may.
   *
   * @param permissions of this client; null for nothing special
   * @param data Authentication Data to tell with it; empty for none
   */
  record Admitted(ClientInfo client, @Nullable Permissions permissions, byte[] data)
      implements ConnectAdmission {}

  /** The client has to send another AUTH; only in an {@link AuthenticationExchange}. */
  record Challenge(byte[] data) implements ConnectAdmission {}

  /**
   * It may not.
   *
   * @param detail for operators
   */
  record Refused(Refusal refusal, String detail) implements ConnectAdmission {}

  /** What a refused client is told. */
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

    /** In words, for the log. */
    String words() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }
}
