package io.fjordmq.api.plugin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Authentication in several steps, such as SCRAM (MQTT 5.0 §4.12). The client names the method in
 * its CONNECT; then both sides exchange AUTH packets until the authentication succeeds or fails.
 *
 * @since 0.1.0
 */
public interface EnhancedAuthenticator extends Extension {

  /** Returns the Authentication Method that clients name. It must be unique among all plugins. */
  String method();

  /**
   * Begins an exchange with one client. The rules of {@link Exchange#next} about blocking and
   * timeouts apply.
   *
   * @param attempt the CONNECT; for a re-authentication, the original CONNECT without its password
   * @param current null at CONNECT; for a re-authentication, the client as it was last
   *     authenticated (§4.12.1)
   */
  Exchange begin(ConnectAttempt attempt, @Nullable ClientInfo current);

  /** One exchange with a client. Its methods are never called concurrently. */
  interface Exchange extends AutoCloseable {

    /**
     * Handles the client's next packet. The method may block, or complete the stage later, within
     * {@code securityConfig.providerTimeout}. An exception, a failed stage or a timeout ends the
     * exchange.
     *
     * @param data Authentication Data of the client's packet; empty if absent
     */
    CompletionStage<Step> next(byte[] data);

    /** Called when the exchange has ended, whether it succeeded, failed or was aborted. */
    @Override
    default void close() {}
  }

  /** The result of one step, which the broker sends to the client. */
  @SuppressWarnings("ArrayRecordComponent") // never compared by value
  sealed interface Step {

    /** The client must continue: AUTH with reason code 0x18. */
    record Continue(byte[] data) implements Step {}

    /**
     * The client is authenticated: CONNACK 0x00, or AUTH 0x00 for a re-authentication, which must
     * not change the tenant.
     *
     * @param data Authentication Data to send; empty for none
     */
    record Success(Identity identity, byte[] data) implements Step {}

    /**
     * The authentication failed: CONNACK or DISCONNECT with the reason.
     *
     * @param detail for operators; the client does not receive it
     * @param reasonString for the client, as in {@link Authentication.Deny}
     */
    record Failure(DenyReason reason, String detail, String reasonString) implements Step {

      /** A failure without a text for the client. */
      public Failure(DenyReason reason, String detail) {
        this(reason, detail, "");
      }
    }

    /** Returns this step as a completed stage. */
    default CompletionStage<Step> now() {
      return CompletableFuture.completedStage(this);
    }
  }
}
