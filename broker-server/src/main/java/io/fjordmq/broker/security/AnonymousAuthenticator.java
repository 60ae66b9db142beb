package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.security.SecuritySettings.Anonymous;
import java.util.concurrent.CompletionStage;

/** The last authenticator of the chain, which can admit clients as anonymous. */
final class AnonymousAuthenticator implements Authenticator {
  private final Anonymous allowed;
  private final boolean onlyAuthenticator;

  /**
   * @param onlyAuthenticator whether there is no other authenticator; if so, user names and
   *     passwords are ignored
   */
  AnonymousAuthenticator(Anonymous allowed, boolean onlyAuthenticator) {
    this.allowed = allowed;
    this.onlyAuthenticator = onlyAuthenticator;
  }

  @Override
  public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
    boolean admitted =
        switch (allowed) {
          case TRUE -> true;
          case FALSE -> false;
          case LOOPBACK -> attempt.isLocal();
          case AUTO -> onlyAuthenticator && attempt.isLocal();
        };
    return admitted && (onlyAuthenticator || attempt.isWithoutCredentials())
        ? new Authentication.Allow(Identity.of(null)).now()
        : Authentication.pass().now();
  }
}
