package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The result of authenticating a CONNECT. */
@SuppressWarnings("ArrayRecordComponent") // a data carrier; never compared
public sealed interface ConnectAdmission {

  /**
   * The client may connect.
   *
   * @param identity the identity, with the client's own permissions, superuser flag and expiry
   * @param data the Authentication Data for the client; empty for none
   * @param decidedBy the name of the provider that decided
   * @param context the values for placeholders in rules; null if there are no rules
   * @param rules the rules that providers returned for the client
   * @param check tells whether the identity is still valid
   */
  record Admitted(
      ClientInfo client,
      Identity identity,
      byte[] data,
      String decidedBy,
      @Nullable ClientContext context,
      List<ClientRules> rules,
      IdentityCheck check)
      implements ConnectAdmission {

    /** A client whose rules are not loaded yet. */
    static Admitted of(ClientInfo client, Identity identity, byte[] data, String decidedBy) {
      return new Admitted(
          client, identity, data, decidedBy, null, List.of(), IdentityCheck.ALWAYS_VALID);
    }

    /** Creates a client with the given permissions of its own; for tests of other features. */
    public Admitted(
        ClientInfo client, @Nullable Permissions permissions, byte[] data, String decidedBy) {
      this(
          client,
          new Identity(client.tenant(), client.userName(), permissions, client.attributes()),
          data,
          decidedBy,
          null,
          List.of(),
          IdentityCheck.ALWAYS_VALID);
    }

    Admitted withRules(ClientContext known, List<ClientRules> loaded) {
      return new Admitted(client, identity, data, decidedBy, known, List.copyOf(loaded), check);
    }

    Admitted checkedBy(IdentityCheck other) {
      return new Admitted(client, identity, data, decidedBy, context, rules, other);
    }
  }

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
   * @param reasonString the text for the client; empty for the name of the reason
   */
  record Refused(Refusal refusal, String detail, String decidedBy, String reasonString)
      implements ConnectAdmission {

    /** A refusal without a text for the client. */
    public Refused(Refusal refusal, String detail, String decidedBy) {
      this(refusal, detail, decidedBy, "");
    }
  }

  /** The reason sent to a refused client. */
  enum Refusal {
    BAD_USER_NAME_OR_PASSWORD,
    NOT_AUTHORIZED,
    SERVER_UNAVAILABLE,
    SERVER_BUSY,
    BANNED,
    BAD_AUTHENTICATION_METHOD,
    /** Too many logins from the client's address have failed. */
    CONNECTION_RATE_EXCEEDED,
    CLIENT_IDENTIFIER_NOT_VALID,
    QUOTA_EXCEEDED,
    USE_ANOTHER_SERVER;

    static Refusal of(DenyReason reason) {
      return valueOf(reason.name());
    }

    /** The text for the log. */
    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }
}
