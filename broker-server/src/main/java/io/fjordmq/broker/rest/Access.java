package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.http.ApiCall;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Decides who may call an operation. Thread-safe. */
final class Access {
  /** Makes browsers show a login dialog. */
  private static final Map<String, String> CHALLENGE =
      Map.of("WWW-Authenticate", "Basic realm=\"FjordMQ\", charset=\"UTF-8\"");

  private final Authentication authentication;

  Access(Authentication authentication) {
    this.authentication = authentication;
  }

  /**
   * Authenticates the caller of a request.
   *
   * @return completes with the caller, or with an {@link ApiException}
   */
  CompletableFuture<Caller> authenticate(ApiCall call) {
    try {
      return authentication
          .authenticate(credentials(call), call.remoteAddress())
          .handle(
              (caller, failure) -> {
                if (failure == null) {
                  return CompletableFuture.completedFuture(caller);
                }
                return CompletableFuture.<Caller>failedFuture(
                    withChallenge(Replies.cause(failure)));
              })
          .thenCompose(result -> result);
    } catch (ApiException e) {
      return CompletableFuture.failedFuture(withChallenge(e));
    }
  }

  private static Throwable withChallenge(Throwable failure) {
    return failure instanceof ApiException refusal
            && refusal.status() == 401
            && refusal.headers().isEmpty()
        ? new ApiException(refusal.code(), refusal.getMessage(), CHALLENGE)
        : failure;
  }

  private static Credentials credentials(ApiCall call) {
    String header = call.authorization().orElse("").strip();
    int space = header.indexOf(' ');
    String scheme = space < 0 ? header : header.substring(0, space);
    String value = header.substring(space + 1).strip();
    if (scheme.equalsIgnoreCase("Bearer") && space > 0) {
      return new Credentials.Bearer(value);
    }
    if (scheme.equalsIgnoreCase("Basic") && space > 0) {
      return basic(value);
    }
    throw new ApiException(
        ErrorCode.AUTHORIZATION_HEADER_ERROR,
        "credentials are missing; send an Authorization header with an API key and secret "
            + "(Basic) or with a token from POST /api/v5/login (Bearer)");
  }

  private static Credentials basic(String encoded) {
    try {
      String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      int colon = pair.indexOf(':');
      if (colon >= 0) {
        return new Credentials.Basic(pair.substring(0, colon), pair.substring(colon + 1));
      }
    } catch (IllegalArgumentException e) {
      // not Base64: reported below
    }
    throw new ApiException(
        ErrorCode.AUTHORIZATION_HEADER_ERROR,
        "the Authorization header must contain NAME:SECRET in Base64 after 'Basic'");
  }

  /**
   * Checks that a caller may call an operation.
   *
   * @throws ApiException 403 if not
   */
  static void authorize(Caller caller, Operation operation) {
    requireRole(caller, operation.role().orElse(Role.VIEWER));
    if (!operation.isForTenants()) {
      requireAllTenants(caller);
    }
  }

  /**
   * Checks that a caller has a role or a higher one.
   *
   * @throws ApiException 403 if not
   */
  static void requireRole(Caller caller, Role required) {
    if (!caller.role().includes(required)) {
      throw new ApiException(
          ErrorCode.UNAUTHORIZED_ROLE,
          "this operation requires the role %s, but %s has the role %s"
              .formatted(word(required), caller.name(), word(caller.role())));
    }
  }

  /**
   * Checks that a caller is not bound to a tenant.
   *
   * @throws ApiException 403 if it is
   */
  static void requireAllTenants(Caller caller) {
    if (caller.tenant() != null) {
      throw new ApiException(
          ErrorCode.FORBIDDEN,
          "this operation applies to all tenants, but %s is bound to tenant %s"
              .formatted(caller.name(), caller.tenant()));
    }
  }

  private static String word(Role role) {
    return role.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Refuses requests that a browser sends for a web page of another origin. Without this check,
   * such a page could use the credentials that the browser remembers.
   */
  static void refuseOtherSites(ApiCall call) {
    call.origin()
        .filter(origin -> !origin.equals("http://" + call.host()))
        .filter(origin -> !origin.equals("https://" + call.host()))
        .ifPresent(
            origin -> {
              throw new ApiException(ErrorCode.FORBIDDEN, "cross-origin requests are not allowed");
            });
  }
}
