package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.accounts.User;
import io.fjordmq.broker.accounts.Users;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The users: people who administer the cluster. */
final class UsersResource implements Resource {
  private static final String TAG = "Users";
  private static final String VARIABLE = "username";
  private static final String PATH = "/users/{username}";
  private static final String NOT_FOUND = "The user does not exist";

  private final Users users;

  record UserJson(
      @Field("Name of the user") String username,
      @Field("What the user may do") Role role,
      @Field("Free text; may be empty") String description,
      @Field("Tenant that the user is bound to; absent if the user may access all tenants")
          @Nullable String tenant,
      @Field("When the user was created") Instant createdAt) {
    static UserJson of(User user) {
      return new UserJson(
          user.name(), user.role(), user.description(), user.tenant(), user.createdAt());
    }
  }

  record CreateUserRequest(
      @Field(
              value = AccountFields.NAME_TEXT,
              minLength = 1,
              maxLength = 64,
              pattern = AccountFields.NAME,
              example = "alice")
          String username,
      @Field(value = "The password", minLength = 8, maxLength = 256) String password,
      @Field("What the user may do; administrator if absent") @Nullable Role role,
      @Field(value = "Free text", maxLength = 256, pattern = AccountFields.ONE_LINE)
          @Nullable String description,
      @Field(
              value = "Tenant that the user is bound to; if absent, that of the caller",
              minLength = 1,
              maxLength = 256,
              pattern = AccountFields.ONE_LINE)
          @Nullable String tenant) {
    @Override
    public String toString() {
      return username; // without the password
    }
  }

  record UpdateUserRequest(
      @Field("What the user may do; unchanged if absent") @Nullable Role role,
      @Field(
              value = "Free text; unchanged if absent",
              maxLength = 256,
              pattern = AccountFields.ONE_LINE)
          @Nullable String description) {}

  record ChangePasswordRequest(
      @Field("The current password; administrators may omit it for other users")
          @Nullable String oldPwd,
      @Field(value = "The new password", minLength = 8, maxLength = 256) String newPwd) {
    @Override
    public String toString() {
      return "passwords"; // without their values
    }
  }

  UsersResource(Users users) {
    this.users = users;
  }

  @Override
  public List<Operation> operations() {
    return List.of(listUsers(), createUser(), updateUser(), deleteUser(), changeUserPassword());
  }

  private Operation listUsers() {
    return Operation.get("/users")
        .id("listUsers")
        .tag(TAG)
        .summary("List the users")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .okArray(UserJson.class)
        .handler(this::list);
  }

  private Operation createUser() {
    return Operation.post("/users")
        .id("createUser")
        .tag(TAG)
        .summary("Create a user")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .body(CreateUserRequest.class)
        .target(request -> request.body(CreateUserRequest.class).username())
        .ok(UserJson.class)
        .conflict("A user with this name exists, or there are 1,000 users")
        .handler(this::create);
  }

  private Operation updateUser() {
    return Operation.put(PATH)
        .id("updateUser")
        .tag(TAG)
        .summary("Change the role or the description of a user")
        .description("Changing the role invalidates all tokens of the user.")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .path(VARIABLE, "Name of the user")
        .body(UpdateUserRequest.class)
        .ok(UserJson.class)
        .notFound(NOT_FOUND)
        .conflict("Another request changed the user at the same time")
        .handler(this::update);
  }

  private Operation deleteUser() {
    return Operation.delete(PATH)
        .id("deleteUser")
        .tag(TAG)
        .summary("Delete a user")
        .description("Invalidates all tokens of the user. Users cannot delete themselves.")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .path(VARIABLE, "Name of the user")
        .noContent()
        .notFound(NOT_FOUND)
        .conflict("Another request changed the user at the same time")
        .handler(this::delete);
  }

  private Operation changeUserPassword() {
    return Operation.post(PATH + "/change_pwd")
        .id("changePassword")
        .tag(TAG)
        .summary("Change a password")
        .description(
            "Invalidates all tokens of the user. Users must give their current password to "
                + "change it; administrators can set the passwords of other users.")
        .role(Role.VIEWER)
        .tenants()
        .path(VARIABLE, "Name of the user")
        .body(ChangePasswordRequest.class)
        .noContent()
        .notFound(NOT_FOUND)
        .conflict("Another request changed the user at the same time")
        .error(403, "The current password is wrong, or the role or tenant does not allow it")
        .error(429, "Too many wrong passwords from this address")
        .handler(this::changePassword);
  }

  private CompletableFuture<Response> list(Request request) {
    return CompletableFuture.completedFuture(
        Response.ok(users.list(request.caller()).stream().map(UserJson::of).toList()));
  }

  private CompletableFuture<Response> create(Request request) {
    CreateUserRequest body = request.body(CreateUserRequest.class);
    User.Draft draft =
        new User.Draft(
            body.username(),
            body.password(),
            Objects.requireNonNullElse(body.role(), Role.ADMINISTRATOR),
            body.tenant(),
            Objects.requireNonNullElse(body.description(), ""));
    return translate(users.add(request.caller(), draft))
        .thenApply(user -> Response.ok(UserJson.of(user)));
  }

  private CompletableFuture<Response> update(Request request) {
    UpdateUserRequest body = request.body(UpdateUserRequest.class);
    User.Update update = new User.Update(body.role(), body.description());
    return translate(users.update(request.caller(), request.path(VARIABLE), update))
        .thenApply(user -> Response.ok(UserJson.of(user)));
  }

  private CompletableFuture<Response> delete(Request request) {
    String name = request.path(VARIABLE);
    if (LoginResource.isSelf(request.caller(), name)) {
      throw new ApiException(ErrorCode.NOT_ALLOWED, "users cannot delete themselves");
    }
    return translate(users.remove(request.caller(), name))
        .thenApply(removed -> Response.noContent());
  }

  private CompletableFuture<Response> changePassword(Request request) {
    ChangePasswordRequest body = request.body(ChangePasswordRequest.class);
    Caller caller = request.caller();
    String name = request.path(VARIABLE);
    LoginResource.requireSelfOrAdministrator(caller, name);
    String old = body.oldPwd();
    if (old == null && LoginResource.isSelf(caller, name)) {
      throw ApiException.badRequest("old_pwd is missing; users need it to change their password");
    }
    CompletableFuture<Void> changed =
        old == null
            ? users.setPassword(caller, name, body.newPwd())
            : users.changePassword(caller, name, old, body.newPwd(), request.remoteAddress());
    return translate(changed).thenApply(done -> Response.noContent());
  }

  private static <T> CompletableFuture<T> translate(CompletableFuture<T> result) {
    return AccountFailures.translate(
        result, ErrorCode.USER_NOT_FOUND, ErrorCode.ERROR_PWD_NOT_MATCH);
  }
}
