package io.fjordmq.api.plugin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The result of authenticating a CONNECT with an {@link Authenticator}.
 *
 * @since 0.1.0
 */
public sealed interface Authentication {

  /** The client may connect with this identity. No further authenticator is called. */
  record Allow(Identity identity) implements Authentication {}

  /**
   * The client may not connect. No further authenticator is called.
   *
   * @param reason determines the reason code that the client receives
   * @param detail for operators; the client does not receive it
   * @param reasonString for MQTT 5 clients, as the Reason String of the CONNACK, which has room for
   *     120 bytes; empty for the name of the reason. Must not help anyone guess credentials
   */
  record Deny(DenyReason reason, String detail, String reasonString) implements Authentication {

    /** Denies the connection without a text for the client. */
    public Deny(DenyReason reason, String detail) {
      this(reason, detail, "");
    }
  }

  /** The authenticator does not know this client. The broker calls the next one. */
  record Pass() implements Authentication {}

  /** Allows the client to connect as this user of the default tenant. */
  static Authentication allow(String userName) {
    return new Allow(Identity.of(userName));
  }

  /** Denies the connection with {@link DenyReason#BAD_USER_NAME_OR_PASSWORD}. */
  static Authentication deny(String detail) {
    return new Deny(DenyReason.BAD_USER_NAME_OR_PASSWORD, detail);
  }

  /** Leaves the decision to the next authenticator. */
  static Authentication pass() {
    return new Pass();
  }

  /** Returns this result as a completed stage. */
  default CompletionStage<Authentication> now() {
    return CompletableFuture.completedStage(this);
  }
}
