package io.fjordmq.api.plugin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What an {@link Authenticator} says about a CONNECT. */
public sealed interface Authentication {

  /** The client may connect, as whom. Nobody else is asked. */
  record Allow(Identity identity) implements Authentication {}

  /**
   * It may not. Nobody else is asked.
   *
   * @param detail for the log of the operator; the client is told the reason only
   */
  record Deny(DenyReason reason, String detail) implements Authentication {}

  /** The authenticator does not know; the next one is asked. */
  record Pass() implements Authentication {}

  /** The client may connect as this user of the only tenant. */
  static Authentication allow(String userName) {
    return new Allow(Identity.of(userName));
  }

  /** A wrong user name or password. */
  static Authentication deny(String detail) {
    return new Deny(DenyReason.BAD_USER_NAME_OR_PASSWORD, detail);
  }

  /** The next one may know. */
  static Authentication pass() {
    return new Pass();
  }

  /** This answer, given at once. */
  default CompletionStage<Authentication> now() {
    return CompletableFuture.completedStage(this);
  }
}
