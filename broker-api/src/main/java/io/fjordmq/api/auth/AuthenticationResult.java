package io.fjordmq.api.auth;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Identity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of an {@link AuthenticationProvider}.
 *
 * @param authentication allow, deny, or pass to ignore the client
 * @param detail the reason, for operators; the client does not receive it
 * @param maxAge how long the result may be cached at most; zero to not cache it, null to let the
 *     broker decide
 * @param failed whether the client is ignored only because of a failure. If no other provider
 *     decides, the client is asked to try again later, and no failed login is counted
 * @since 0.1.0
 */
public record AuthenticationResult(
    Authentication authentication, String detail, @Nullable Duration maxAge, boolean failed) {

  /** The client may connect with this identity. */
  public static AuthenticationResult allow(Identity identity) {
    return new AuthenticationResult(new Authentication.Allow(identity), "", null, false);
  }

  /** The client's credentials are wrong. */
  public static AuthenticationResult deny(String detail) {
    return deny(DenyReason.BAD_USER_NAME_OR_PASSWORD, detail);
  }

  /** The client may not connect. */
  public static AuthenticationResult deny(DenyReason reason, String detail) {
    return new AuthenticationResult(new Authentication.Deny(reason, detail), detail, null, false);
  }

  /** The provider does not know the client; the next provider decides. */
  public static AuthenticationResult ignore(String detail) {
    return new AuthenticationResult(Authentication.pass(), detail, null, false);
  }

  /** The provider has failed in a way that its contract defines as ignoring the client. */
  public static AuthenticationResult ignoreFailure(String detail) {
    return new AuthenticationResult(Authentication.pass(), detail, Duration.ZERO, true);
  }

  /** Returns the same result, which may be cached for at most this time. */
  public AuthenticationResult cachedFor(@Nullable Duration time) {
    return new AuthenticationResult(authentication, detail, time, failed);
  }
}
