package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.userdb.ClientUser;
import io.fjordmq.broker.userdb.ClientUsers;
import io.fjordmq.broker.userdb.Page;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The MQTT users in the database of the cluster. */
final class MqttUsersResource implements Resource {
  private static final String TAG = "MQTT users";
  private static final String USERS = "/authentication/{id}/users";
  private static final String ONE = USERS + "/{user_id}";
  private static final String IMPORT = "/authentication/{id}/import_users";
  private static final String ID = "id";
  private static final String USER = "user_id";
  private static final String NOT_FOUND = "The user does not exist";
  private static final String CHANGED = "Another request changed the user at the same time";
  private static final int MAX_IMPORTED = 500;

  /** The database is the same whichever provider uses it. */
  private static final List<String> IDS =
      List.of("password_based:built_in_database", "scram:built_in_database");

  private final ClientUsers users;

  record MqttUserJson(
      @Field("User name") String userId,
      @Field("Whether the user's clients may do everything") boolean isSuperuser,
      @Field("False if the user cannot log in") boolean enable,
      @Field("Tenant of the user's clients") String tenant,
      @Field("Groups whose rules apply to the user's clients, in the order of evaluation")
          List<String> groups,
      @Field("Values of the placeholders `${client_attrs.NAME}`") Map<String, String> clientAttrs,
      @Field("Kind of the password hash, e.g. `argon2id`; absent if the user has no password")
          @Nullable String passwordHash,
      @Field("SCRAM mechanisms with which the user can log in") List<String> scram,
      @Field("When the user was created") Instant createdAt) {
    static MqttUserJson of(ClientUser.Stored stored) {
      ClientUser user = stored.user();
      return new MqttUserJson(
          user.name(),
          user.superuser(),
          user.enabled(),
          user.tenant(),
          user.groups(),
          user.attributes(),
          stored.passwordHash(),
          stored.scram(),
          user.createdAt());
    }
  }

  record CreateMqttUserRequest(
      @Field(
              value = "User name, unique in the cluster; at most 120 bytes in UTF-8",
              rule = TextRule.MQTT_NAME,
              example = "meter-8")
          String userId,
      @Field(value = "Password; at most 1,024 bytes in UTF-8", minLength = 1, maxLength = 1_024)
          String password,
      @Field("Whether the user's clients may do everything; default false")
          @Nullable Boolean isSuperuser,
      @Field("False if the user cannot log in; default true") @Nullable Boolean enable,
      @Field(
              value =
                  "Tenant of the user's clients; if absent, that of the caller or the default"
                      + " tenant",
              maxLength = 120,
              pattern = AccountFields.ONE_LINE)
          @Nullable String tenant,
      @Field(
              value = "Groups whose rules apply to the user's clients, in the order of evaluation",
              maxLength = 16,
              rule = TextRule.MQTT_NAME)
          @Nullable List<String> groups,
      @Field(
              value = "Values of the placeholders `${client_attrs.NAME}`; at most 16",
              rule = TextRule.ATTRIBUTE)
          @Nullable Map<String, String> clientAttrs) {
    ClientUser.Draft draft() {
      return new ClientUser.Draft(
          userId,
          password,
          tenant,
          !Boolean.FALSE.equals(enable),
          Boolean.TRUE.equals(isSuperuser),
          Objects.requireNonNullElse(groups, List.of()),
          Objects.requireNonNullElse(clientAttrs, Map.of()));
    }

    @Override
    public String toString() {
      return userId; // without the password
    }
  }

  record ImportMqttUserRequest(
      @Field(
              value = "User name, unique in the cluster; at most 120 bytes in UTF-8",
              rule = TextRule.MQTT_NAME,
              example = "meter-8")
          String userId,
      @Field(
              value =
                  "Password hash: `$6$`, `$7$` or `$argon2id$` as in mosquitto's password files, a"
                      + " bcrypt hash, `$sha256$`, `$sha512$`, `$sha$` or `$md5$` with or without a"
                      + " salt, or `$pbkdf2-sha256$`; if absent, the user cannot log in with a"
                      + " password",
              maxLength = 4_096)
          @Nullable String passwordHash,
      @Field("Whether the user's clients may do everything; default false")
          @Nullable Boolean isSuperuser,
      @Field("False if the user cannot log in; default true") @Nullable Boolean enable,
      @Field(
              value =
                  "Tenant of the user's clients; if absent, that of the caller or the default"
                      + " tenant",
              maxLength = 120,
              pattern = AccountFields.ONE_LINE)
          @Nullable String tenant,
      @Field(
              value = "Groups whose rules apply to the user's clients, in the order of evaluation",
              maxLength = 16,
              rule = TextRule.MQTT_NAME)
          @Nullable List<String> groups,
      @Field(
              value = "Values of the placeholders `${client_attrs.NAME}`; at most 16",
              rule = TextRule.ATTRIBUTE)
          @Nullable Map<String, String> clientAttrs) {
    ClientUsers.Imported imported() {
      return new ClientUsers.Imported(
          new ClientUser.Draft(
              userId,
              null,
              tenant,
              !Boolean.FALSE.equals(enable),
              Boolean.TRUE.equals(isSuperuser),
              Objects.requireNonNullElse(groups, List.of()),
              Objects.requireNonNullElse(clientAttrs, Map.of())),
          passwordHash);
    }

    @Override
    public String toString() {
      return userId; // without the hash
    }
  }

  record ImportResultJson(
      @Field("Number of users that were created") int created,
      @Field("Existing users, which were left unchanged") List<String> existing) {}

  record UpdateMqttUserRequest(
      @Field(value = "New password; unchanged if absent", minLength = 1, maxLength = 1_024)
          @Nullable String password,
      @Field("Whether the user's clients may do everything; unchanged if absent")
          @Nullable Boolean isSuperuser,
      @Field("False if the user cannot log in; unchanged if absent") @Nullable Boolean enable,
      @Field(
              value = "Groups whose rules apply to the user's clients; unchanged if absent",
              maxLength = 16,
              rule = TextRule.MQTT_NAME)
          @Nullable List<String> groups,
      @Field(
              value = "Values of the placeholders `${client_attrs.NAME}`; unchanged if absent",
              rule = TextRule.ATTRIBUTE)
          @Nullable Map<String, String> clientAttrs) {
    ClientUser.Update update() {
      return new ClientUser.Update(password, enable, isSuperuser, groups, clientAttrs);
    }

    @Override
    public String toString() {
      return "update of an MQTT user"; // without the password
    }
  }

  MqttUsersResource(ClientUsers users) {
    this.users = users;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        listUsers(), createUser(), showUser(), updateUser(), deleteUser(), importUsers());
  }

  private static Operation.Builder declare(Operation.Builder operation) {
    return operation
        .tag(TAG)
        .tenants()
        .path(Parameter.choice(ID, "The database; both values have the same meaning", IDS));
  }

  private Operation listUsers() {
    return declare(Operation.get(USERS))
        .id("listMqttUsers")
        .summary("List the MQTT users")
        .description("Users are ordered by the bytes of their names.")
        .role(Role.VIEWER)
        .query(
            Parameter.text(
                "like_user_id", "Only users whose name contains this text, ignoring case"))
        .query(Parameter.flag("is_superuser", "Only superusers, or only others"))
        .query(Parameter.flag("enable", "Only users that can log in, or only others"))
        .query(Parameter.text("group", "Only users of this group"))
        .query(Parameter.text("tenant", "Only users of this tenant"))
        .paged()
        .okList(MqttUserJson.class)
        .handler(this::list);
  }

  private Operation createUser() {
    return declare(Operation.post(USERS))
        .id("createMqttUser")
        .summary("Create an MQTT user")
        .description(
            "Creates SCRAM verifiers if `securityConfig.authentication` of this node contains a"
                + " provider of type `scram`.")
        .role(Role.ADMINISTRATOR)
        .body(CreateMqttUserRequest.class)
        .target(
            request -> {
              CreateMqttUserRequest body = request.body(CreateMqttUserRequest.class);
              return AuditTarget.ofTenant(body.userId(), body.tenant());
            })
        .created(MqttUserJson.class)
        .conflict("A user with this name exists, or the database is full")
        .handler(
            request ->
                translate(
                        users.add(
                            request.caller(), request.body(CreateMqttUserRequest.class).draft()))
                    .thenApply(user -> Response.created(MqttUserJson.of(user))));
  }

  private Operation showUser() {
    return declare(Operation.get(ONE))
        .id("showMqttUser")
        .summary("Show an MQTT user")
        .role(Role.VIEWER)
        .path(USER, "User name; encode `/` as `%2F`")
        .ok(MqttUserJson.class)
        .notFound(NOT_FOUND)
        .handler(
            request -> {
              ClientUser.Stored found = users.find(request.caller(), request.path(USER));
              if (found == null) {
                throw new ApiException(
                    ErrorCode.USER_NOT_FOUND,
                    "user '%s' does not exist".formatted(Excerpt.of(request.path(USER))));
              }
              return CompletableFuture.completedFuture(Response.ok(MqttUserJson.of(found)));
            });
  }

  private Operation updateUser() {
    return declare(Operation.put(ONE))
        .id("updateMqttUser")
        .summary("Change an MQTT user")
        .description(
            "All nodes disconnect the clients of the user (0x98) if its password, its attributes or"
                + " `is_superuser` change, or if it is disabled. Changed groups take effect with the"
                + " next action of each client.")
        .role(Role.ADMINISTRATOR)
        .path(USER, "User name; encode `/` as `%2F`")
        .body(UpdateMqttUserRequest.class)
        .target(request -> request.path(USER))
        .ok(MqttUserJson.class)
        .notFound(NOT_FOUND)
        .conflict(CHANGED)
        .handler(
            request ->
                translate(
                        users.update(
                            request.caller(),
                            request.path(USER),
                            request.body(UpdateMqttUserRequest.class).update()))
                    .thenApply(user -> Response.ok(MqttUserJson.of(user))));
  }

  private Operation deleteUser() {
    return declare(Operation.delete(ONE))
        .id("deleteMqttUser")
        .summary("Delete an MQTT user")
        .description(
            "All nodes disconnect the clients of the user (0x98). Rules of the user remain.")
        .role(Role.ADMINISTRATOR)
        .path(USER, "User name; encode `/` as `%2F`")
        .target(request -> request.path(USER))
        .noContent()
        .notFound(NOT_FOUND)
        .conflict(CHANGED)
        .handler(
            request ->
                translate(users.remove(request.caller(), request.path(USER)))
                    .thenApply(removed -> Response.noContent()));
  }

  private Operation importUsers() {
    return declare(Operation.post(IMPORT))
        .id("importMqttUsers")
        .summary("Import users with their password hashes")
        .description(
            "Users that exist already are left unchanged. Hashes other than Argon2id are replaced"
                + " when the user logs in with its password.")
        .role(Role.ADMINISTRATOR)
        .bodyList(ImportMqttUserRequest.class, MAX_IMPORTED)
        .target(
            request ->
                AuditTarget.names(
                    request.bodyList(ImportMqttUserRequest.class).stream()
                        .map(user -> AuditTarget.ofTenant(user.userId(), user.tenant()))
                        .toList()))
        .ok(ImportResultJson.class)
        .conflict(
            "Another request created one of the users at the same time, or the database is full")
        .handler(
            request ->
                translate(
                        users.importAll(
                            request.caller(),
                            request.bodyList(ImportMqttUserRequest.class).stream()
                                .map(ImportMqttUserRequest::imported)
                                .toList()))
                    .thenApply(
                        result ->
                            Response.ok(
                                new ImportResultJson(result.created(), result.existing()))));
  }

  private CompletableFuture<Response> list(Request request) {
    ClientUser.Filter filter =
        new ClientUser.Filter(
            request.text("like_user_id").orElse(null),
            request.text("tenant").orElse(null),
            request.text("group").orElse(null),
            request.findFlag("is_superuser").orElse(null),
            request.findFlag("enable").orElse(null));
    Paging paging = request.paging();
    Page<ClientUser.Stored> page =
        users.list(request.caller(), filter, paging.offset(), paging.limit());
    return CompletableFuture.completedFuture(
        paging.list(page.elements().stream().map(MqttUserJson::of).toList(), page.total()));
  }

  private static <T> CompletableFuture<T> translate(CompletableFuture<T> result) {
    return AccountFailures.translate(
        result, ErrorCode.USER_NOT_FOUND, ErrorCode.ERROR_PWD_NOT_MATCH);
  }
}
