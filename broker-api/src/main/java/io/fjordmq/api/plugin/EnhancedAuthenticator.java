package io.fjordmq.api.plugin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An authentication of several steps, such as SCRAM (MQTT 5.0 §4.12): the client names the method
 * in its CONNECT, and both sides send AUTH packets until one is content or not.
 */
public interface EnhancedAuthenticator extends Extension {

  /** The method clients name; two plugins cannot have the same. */
  String method();

  /**
   * Begins an exchange with one client. Called as {@link Exchange#next} is.
   *
   * @param attempt the CONNECT; at a re-authentication the same without its password
   * @param current null at CONNECT; who the client has been so far at a re-authentication (§4.12.1)
   */
  Exchange begin(ConnectAttempt attempt, @Nullable ClientInfo current);

  /** One exchange. Its methods are called one after the other. */
  interface Exchange extends AutoCloseable {

    /**
     * The client's next step. It may block or complete the answer later, within {@code
     * securityConfig.providerTimeout}; an exception, a failed stage or a late one ends it.
     *
     * @param data Authentication Data of the client's packet; empty if it had none
     */
    CompletionStage<Step> next(byte[] data);

    /** The exchange has ended, in whichever way. */
    @Override
    default void close() {}
  }

  /** The broker's answer. */
  @SuppressWarnings("ArrayRecordComponent") // carriers; never compared
  sealed interface Step {

    /** AUTH 0x18: the client is to go on. */
    record Continue(byte[] data) implements Step {}

    /**
     * The client is who it says: CONNACK 0x00, or AUTH 0x00 at a re-authentication, which must not
     * change the tenant.
     *
     * @param data told with it; empty for none
     */
    record Success(Identity identity, byte[] data) implements Step {}

    /**
     * It is not: CONNACK or DISCONNECT with the reason.
     *
     * @param detail for the log of the operator
     */
    record Failure(DenyReason reason, String detail) implements Step {}

    /** This answer, given at once. */
    default CompletionStage<Step> now() {
      return CompletableFuture.completedStage(this);
    }
  }
}
