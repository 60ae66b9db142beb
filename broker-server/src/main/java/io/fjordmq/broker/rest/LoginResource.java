package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Logins;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.accounts.Users;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Logging in and out. */
final class LoginResource implements Resource {
  private final Logins logins;
  private final Users users;
  private final String version;

  record LoginRequest(
      @Field(value = "Name of the user", example = "admin") String username,
      @Field(value = "Password of the user") String password) {
    @Override
    public String toString() {
      return username; // without the password
    }
  }

  record LoginJson(
      @Field("Token for requests to any node, sent in the header `Authorization: Bearer TOKEN`")
          String token,
      @Field("When the token expires") Instant expiresAt,
      @Field("Role of the user") Role role,
      @Field("Tenant that the user is bound to; absent if the user may access all tenants")
          @Nullable String tenant,
      @Field("Version of FjordMQ on the node") String version) {
    @Override
    public String toString() {
      return "until " + expiresAt; // without the token
    }
  }

  record LogoutRequest(@Field(value = "Name of the user", example = "admin") String username) {}

  /**
   * @param version the version of FjordMQ
   */
  LoginResource(Logins logins, Users users, String version) {
    this.logins = logins;
    this.users = users;
    this.version = version;
  }

  @Override
  public List<Operation> operations() {
    return List.of(loginOperation(), logoutOperation(), rotateKeyOperation());
  }

  private Operation loginOperation() {
    return Operation.post("/login")
        .id("login")
        .tag("Users")
        .summary("Log in")
        .description(
            "Returns a token, which every node accepts until it expires, or until the user's"
                + " password or role changes, or the user logs out.")
        .anonymous()
        .body(LoginRequest.class)
        .target(request -> request.body(LoginRequest.class).username())
        .ok(LoginJson.class)
        .error(401, "The user name or the password is wrong")
        .error(429, "Too many failed logins from this address")
        .handler(this::login);
  }

  private Operation logoutOperation() {
    return Operation.post("/logout")
        .id("logout")
        .tag("Users")
        .summary("Log out everywhere")
        .description(
            "Invalidates all tokens of the user on all nodes. Administrators can log out other "
                + "users.")
        .role(Role.VIEWER)
        .tenants()
        .body(LogoutRequest.class)
        .target(request -> request.body(LogoutRequest.class).username())
        .noContent()
        .notFound("The user does not exist")
        .handler(this::logout);
  }

  private Operation rotateKeyOperation() {
    return Operation.post("/login/rotate_key")
        .id("rotateTokenKey")
        .tag("Users")
        .summary("Replace the key that signs tokens")
        .description(
            "Logs out all users: every node rejects all tokens issued so far, including that of the"
                + " caller. API keys are not affected.")
        .role(Role.ADMINISTRATOR)
        .target(request -> "token key")
        .noContent()
        .handler(
            request ->
                AccountFailures.translate(
                        logins.rotateTokenKey(),
                        ErrorCode.USER_NOT_FOUND,
                        ErrorCode.BAD_USERNAME_OR_PWD)
                    .thenApply(rotated -> Response.noContent()));
  }

  private CompletableFuture<Response> login(Request request) {
    LoginRequest body = request.body(LoginRequest.class);
    return AccountFailures.translate(
            logins.login(body.username(), body.password(), request.remoteAddress()),
            ErrorCode.USER_NOT_FOUND,
            ErrorCode.BAD_USERNAME_OR_PWD)
        .thenApply(
            session ->
                Response.ok(
                    new LoginJson(
                        session.token(),
                        session.expires(),
                        session.caller().role(),
                        session.caller().tenant(),
                        version)));
  }

  private CompletableFuture<Response> logout(Request request) {
    String name = request.body(LogoutRequest.class).username();
    Caller caller = request.caller();
    requireSelfOrAdministrator(caller, name);
    return AccountFailures.translate(
            users.endTokens(caller, name), ErrorCode.USER_NOT_FOUND, ErrorCode.BAD_USERNAME_OR_PWD)
        .thenApply(ended -> Response.noContent());
  }

  static void requireSelfOrAdministrator(Caller caller, String name) {
    if (!isSelf(caller, name) && caller.role() != Role.ADMINISTRATOR) {
      throw new ApiException(
          ErrorCode.UNAUTHORIZED_ROLE, "logging out another user requires the role administrator");
    }
  }

  static boolean isSelf(Caller caller, String name) {
    return caller.kind() == Caller.Kind.USER && caller.name().equals(name);
  }
}
