package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.AccountSettings;
import io.fjordmq.broker.accounts.Accounts;
import io.fjordmq.broker.accounts.AuditFilter;
import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.TestAccounts;
import io.fjordmq.broker.admin.ClusterAudit;
import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.HttpReply;
import io.fjordmq.broker.records.TestRecords;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Logins, users, API keys and audit records as callers of the API see them. */
class AccountResourcesTest {
  private static final String LOCAL = "Bearer local";
  private static final String ANN =
      "{'username':'ann','password':'correct horse','role':'administrator','description':'d'}";

  private final JsonMapper mapper = JsonMapper.builder().build();
  private final TestAccounts test = new TestAccounts();
  private final RestApi here = api(test.open());
  private final RestApi there = api(test.open());

  /** A cluster of one node. */
  private record OneNode(AuditLog log) implements ClusterAudit.Source {
    @Override
    public List<String> nodes() {
      return List.of("node1");
    }

    @Override
    public CompletableFuture<AuditLog.Page> page(
        String node, @Nullable Long cursor, int limit, AuditFilter filter) {
      return CompletableFuture.completedFuture(log.page(cursor, limit, filter::matches));
    }
  }

  /** A response. */
  private record Reply(int status, JsonNode json) {
    String code() {
      return json.path("code").asString();
    }

    String message() {
      return json.path("message").asString();
    }
  }

  private static RestApi api(Accounts accounts) {
    Authentication byAccount = new AccountAuthentication(accounts.logins());
    return new RestApi(
        List.of(
            new LoginResource(accounts.logins(), accounts.users(), "1.2.3"),
            new UsersResource(accounts.users()),
            new ApiKeysResource(accounts.apiKeys()),
            new AuditResource(new ClusterAudit(new OneNode(accounts.audit())))),
        (credentials, address) ->
            credentials.equals(new Credentials.Bearer("local"))
                ? CompletableFuture.completedFuture(TestAccounts.LOCAL)
                : byAccount.authenticate(credentials, address),
        accounts.audit(),
        "1.2.3",
        () -> {});
  }

  @AfterEach
  void close() {
    test.close();
  }

  private Reply call(RestApi node, String authorization, String request, String body) {
    String[] words = request.split(" ", 2);
    String[] target = words[1].split("\\?", 2);
    byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    ApiCall call =
        new ApiCall(
            words[0],
            "/api/v5" + target[0],
            target.length == 1 ? "" : target[1],
            Optional.of(authorization).filter(header -> !header.isEmpty()),
            Optional.of("application/json"),
            Optional.empty(),
            "localhost:18083",
            "192.0.2.1",
            () -> CompletableFuture.completedFuture(bytes),
            ApiCall.Memory.UNLIMITED,
            System.nanoTime() + Duration.ofMinutes(1).toNanos());
    HttpReply reply = TestRecords.get(node.handle(call, Runnable::run));
    return new Reply(
        reply.status(),
        reply.body().length == 0 ? mapper.createObjectNode() : mapper.readTree(reply.body()));
  }

  private Reply call(String authorization, String request, String body) {
    return call(here, authorization, request, body);
  }

  private JsonNode succeed(String authorization, String request, String body) {
    Reply reply = call(authorization, request, body);
    assertThat(reply.status()).as(reply.json().toString()).isBetween(200, 299);
    return reply.json();
  }

  private void fail(String authorization, String request, String body, ErrorCode code) {
    Reply reply = call(authorization, request, body);
    assertThat(reply.code()).as(reply.json().toString()).isEqualTo(code.name());
    assertThat(reply.status()).isEqualTo(code.status());
  }

  private static String basic(String name, String secret) {
    byte[] pair = (name + ":" + secret).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  private String login(String name, String password) {
    JsonNode session =
        succeed("", "POST /login", "{'username':'%s','password':'%s'}".formatted(name, password));
    return "Bearer " + session.get("token").asString();
  }

  private String key(JsonNode created) {
    return basic(created.get("api_key").asString(), created.get("api_secret").asString());
  }

  @Test
  void shouldLogInAndOut() {
    succeed(LOCAL, "POST /users", ANN);
    JsonNode session = succeed("", "POST /login", "{'username':'ann','password':'correct horse'}");
    assertThat(session.propertyNames()).containsExactly("token", "expires_at", "role", "version");
    assertThat(session.get("role").asString()).isEqualTo("administrator");
    assertThat(session.get("version").asString()).isEqualTo("1.2.3");
    assertThat(session.get("expires_at").asString()).isEqualTo("2030-01-01T01:00:00Z");
    String token = "Bearer " + session.get("token").asString();
    assertThat(call(there, token, "GET /users", "").status()).isEqualTo(200);
    assertThat(call(there, token, "POST /logout", "{'username':'ann'}").status()).isEqualTo(204);
    fail(token, "GET /users", "", ErrorCode.BAD_TOKEN);
    fail("", "POST /login", "{'username':'ann','password':'wrong'}", ErrorCode.BAD_USERNAME_OR_PWD);
    fail("", "POST /login", "{'username':'bob','password':'wrong'}", ErrorCode.BAD_USERNAME_OR_PWD);
    fail("", "POST /login", "{'username':'ann'}", ErrorCode.BAD_REQUEST);
    fail("", "POST /login", "{'username':1,'password':[]}", ErrorCode.BAD_REQUEST);
    fail("Bearer x", "GET /users", "", ErrorCode.BAD_TOKEN);
    fail(basic("ann", "wrong"), "GET /users", "", ErrorCode.BAD_API_KEY_OR_SECRET);
    succeed(basic("ann", "correct horse"), "GET /users", "");
    String second = login("ann", "correct horse");
    test.records.advance(AccountSettings.DEFAULTS.tokenLifetime());
    fail(second, "GET /users", "", ErrorCode.TOKEN_TIME_OUT);
  }

  @Test
  void shouldLimitFailedLogins() {
    for (int i = 0; i < AccountSettings.DEFAULTS.maxLoginFailures(); i++) {
      fail(
          "",
          "POST /login",
          "{'username':'ann','password':'%d'}".formatted(i),
          ErrorCode.BAD_USERNAME_OR_PWD);
    }
    fail("", "POST /login", "{'username':'ann','password':''}", ErrorCode.TOO_MANY_REQUESTS);
    fail(basic("ann", ""), "GET /users", "", ErrorCode.TOO_MANY_REQUESTS);
    fail(basic("b", ""), "GET /users", "", ErrorCode.BAD_API_KEY_OR_SECRET);
  }

  @Test
  void shouldManageUsers() {
    JsonNode ann = succeed(LOCAL, "POST /users", ANN);
    assertThat(ann)
        .isEqualTo(
            mapper.readTree(
                """
                {"username":"ann","role":"administrator","description":"d",
                 "created_at":"2030-01-01T00:00:00Z"}\
                """));
    succeed(LOCAL, "POST /users", "{'username':'bob','password':'12345678','role':'viewer'}");
    JsonNode all = succeed(LOCAL, "GET /users", "");
    assertThat(all.size()).isEqualTo(2);
    assertThat(all.get(0)).isEqualTo(ann);
    JsonNode changed = succeed(LOCAL, "PUT /users/bob", "{'role':'operator','description':'new'}");
    assertThat(changed.get("role").asString()).isEqualTo("operator");
    assertThat(succeed(LOCAL, "GET /users", "").get(1)).isEqualTo(changed);
    fail(LOCAL, "POST /users", ANN, ErrorCode.ALREADY_EXISTS);
    fail(LOCAL, "PUT /users/cid", "{'role':'operator'}", ErrorCode.USER_NOT_FOUND);
    fail(LOCAL, "PUT /users/bob", "{'role':'root'}", ErrorCode.BAD_REQUEST);
    fail(LOCAL, "PUT /users/bob", "{'password':'12345678'}", ErrorCode.BAD_REQUEST);
    assertThat(call(LOCAL, "POST /users", "{'username':'a:b','password':'12345678'}").message())
        .startsWith("username must be");
    assertThat(call(LOCAL, "POST /users", "{'username':'x','password':'1234567'}").message())
        .startsWith("password must have 8 to 256 characters");
    succeed(LOCAL, "DELETE /users/bob", "");
    fail(LOCAL, "DELETE /users/bob", "", ErrorCode.USER_NOT_FOUND);
    fail(LOCAL, "DELETE /users/%0a%00..%2f", "", ErrorCode.USER_NOT_FOUND);
    fail(login("ann", "correct horse"), "DELETE /users/ann", "", ErrorCode.NOT_ALLOWED);
  }

  @Test
  void shouldChangePasswords() {
    succeed(LOCAL, "POST /users", ANN);
    succeed(LOCAL, "POST /users", "{'username':'bob','password':'12345678','role':'viewer'}");
    String bob = login("bob", "12345678");
    String both = "{'old_pwd':'%s','new_pwd':'%s'}";
    String path = "POST /users/bob/change_pwd";
    fail(bob, path, both.formatted("wrong", "87654321"), ErrorCode.ERROR_PWD_NOT_MATCH);
    fail(bob, path, both.formatted("12345678", "short"), ErrorCode.BAD_REQUEST);
    fail(bob, path, "{'new_pwd':'87654321'}", ErrorCode.BAD_REQUEST);
    fail(
        bob,
        "POST /users/ann/change_pwd",
        both.formatted("x", "87654321"),
        ErrorCode.UNAUTHORIZED_ROLE);
    succeed(bob, path, both.formatted("12345678", "87654321"));
    fail(bob, "GET /users", "", ErrorCode.BAD_TOKEN);
    String ann = login("ann", "correct horse");
    succeed(ann, path, "{'new_pwd':'abcdefgh'}");
    login("bob", "abcdefgh");
    fail(ann, "POST /users/cid/change_pwd", "{'new_pwd':'abcdefgh'}", ErrorCode.USER_NOT_FOUND);
  }

  @Test
  void shouldManageApiKeys() {
    JsonNode created =
        succeed(
            LOCAL,
            "POST /api_key",
            "{'name':'ci','expired_at':'2031-01-01T01:00:00+01:00','desc':'d','enable':true,"
                + "'role':'viewer'}");
    assertThat(created.propertyNames())
        .containsExactly(
            "name",
            "api_key",
            "api_secret",
            "role",
            "desc",
            "enable",
            "expired_at",
            "expired",
            "created_at");
    assertThat(created.get("expired_at").asString()).isEqualTo("2031-01-01T00:00:00Z");
    JsonNode shown = succeed(LOCAL, "GET /api_key/ci", "");
    assertThat(shown.has("api_secret")).isFalse();
    assertThat(shown.get("api_key")).isEqualTo(created.get("api_key"));
    assertThat(succeed(LOCAL, "GET /api_key", "").get(0)).isEqualTo(shown);
    fail(key(created), "GET /users", "", ErrorCode.UNAUTHORIZED_ROLE);
    succeed(LOCAL, "PUT /api_key/ci", "{'role':'administrator','expired_at':'infinity'}");
    JsonNode all = succeed(key(created), "GET /api_key", "");
    assertThat(all.get(0).get("expired_at").asString()).isEqualTo("infinity");
    assertThat(all.get(0).get("desc").asString()).isEqualTo("d");
    succeed(LOCAL, "PUT /api_key/ci", "{'enable':false}");
    fail(key(created), "GET /api_key", "", ErrorCode.BAD_API_KEY_OR_SECRET);
    succeed(LOCAL, "PUT /api_key/ci", "{'enable':true,'expired_at':'2030-01-01T00:00:00Z'}");
    fail(key(created), "GET /api_key", "", ErrorCode.BAD_API_KEY_OR_SECRET);
    assertThat(succeed(LOCAL, "GET /api_key/ci", "").get("expired").asBoolean()).isTrue();
    for (String time :
        List.of("never", "", "2026-02-30T00:00:00Z", "Infinity", "+999999999-12-31T23:59:59Z")) {
      fail(LOCAL, "PUT /api_key/ci", "{'expired_at':'" + time + "'}", ErrorCode.BAD_REQUEST);
    }
    for (String time : List.of("0000-01-01T00:00:00+18:00", "9999-12-31T23:59:59-23:59")) {
      JsonNode bounded = succeed(LOCAL, "PUT /api_key/ci", "{'expired_at':'" + time + "'}");
      assertThat(bounded.get("expired_at").asString())
          .isEqualTo(time.startsWith("0") ? "1970-01-01T00:00:00Z" : "9999-12-31T23:59:59Z");
    }
    fail(LOCAL, "POST /api_key", "{'name':'ci'}", ErrorCode.ALREADY_EXISTS);
    fail(LOCAL, "POST /api_key", "{'name':'c i'}", ErrorCode.BAD_REQUEST);
    fail(LOCAL, "PUT /api_key/x", "{'enable':true}", ErrorCode.NOT_FOUND);
    fail(LOCAL, "GET /api_key/x", "", ErrorCode.NOT_FOUND);
    succeed(LOCAL, "DELETE /api_key/ci", "");
    fail(LOCAL, "DELETE /api_key/ci", "", ErrorCode.NOT_FOUND);
  }

  @Test
  void shouldReserveAccountsForAdministrators() {
    for (String role : List.of("viewer", "operator")) {
      String key =
          key(succeed(LOCAL, "POST /api_key", "{'name':'%s','role':'%s'}".formatted(role, role)));
      fail(key, "GET /users", "", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "POST /users", ANN, ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "PUT /users/x", "{}", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "DELETE /users/x", "", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "POST /users/x/change_pwd", "{'new_pwd':'12345678'}", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "POST /logout", "{'username':'x'}", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "GET /api_key", "", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "POST /api_key", "{'name':'x'}", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "GET /api_key/x", "", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "PUT /api_key/x", "{}", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "DELETE /api_key/x", "", ErrorCode.UNAUTHORIZED_ROLE);
      fail(key, "GET /audit", "", ErrorCode.UNAUTHORIZED_ROLE);
    }
  }

  @Test
  void shouldConfineAnAdministratorToItsTenant() {
    succeed(LOCAL, "POST /users", ANN);
    JsonNode bound = succeed(LOCAL, "POST /api_key", "{'name':'t','tenant':'t'}");
    assertThat(bound.get("tenant").asString()).isEqualTo("t");
    String key = key(bound);
    assertThat(succeed(key, "GET /users", "").isEmpty()).isTrue();
    JsonNode own = succeed(key, "POST /users", "{'username':'own','password':'12345678'}");
    assertThat(own.get("tenant").asString()).isEqualTo("t");
    fail(
        key,
        "POST /users",
        "{'username':'x','password':'12345678','tenant':'u'}",
        ErrorCode.BAD_REQUEST);
    fail(key, "DELETE /users/ann", "", ErrorCode.USER_NOT_FOUND);
    fail(key, "POST /logout", "{'username':'ann'}", ErrorCode.USER_NOT_FOUND);
    fail(key, "POST /users/ann/change_pwd", "{'new_pwd':'12345678'}", ErrorCode.USER_NOT_FOUND);
    fail(key, "GET /audit", "", ErrorCode.FORBIDDEN);
  }

  @Test
  void shouldRecordEveryChange() {
    succeed(LOCAL, "POST /users", ANN);
    String ann = login("ann", "correct horse");
    succeed(ann, "GET /users", "");
    fail(ann, "POST /users", ANN, ErrorCode.ALREADY_EXISTS);
    fail(ann, "DELETE /users/ann", "", ErrorCode.NOT_ALLOWED);
    fail(ann, "PUT /users/ann", "{'role':1}", ErrorCode.BAD_REQUEST);
    String key = key(succeed(ann, "POST /api_key", "{'name':'ci','role':'viewer'}"));
    fail(key, "DELETE /api_key/ci", "", ErrorCode.UNAUTHORIZED_ROLE);
    fail("", "POST /login", "{'username':'ann','password':'x'}", ErrorCode.BAD_USERNAME_OR_PWD);
    fail("Bearer x", "POST /users", ANN, ErrorCode.BAD_TOKEN);
    JsonNode records = succeed(ann, "GET /audit", "").get("data");
    assertThat(records.valueStream().map(AccountResourcesTest::summary))
        .containsExactly(
            "ci deleteApiKey /api/v5/api_key/ci failure 403",
            "ann createApiKey ci success 200",
            "ann updateUser /api/v5/users/ann failure 400",
            "ann deleteUser ann failure 400",
            "ann createUser ann failure 409",
            " login ann success 200",
            "local createUser ann success 200");
    JsonNode newest = records.get(0);
    assertThat(newest.get("node").asString()).isEqualTo("node1");
    assertThat(newest.get("from").asString()).isEqualTo("api_key");
    assertThat(newest.get("source_ip").asString()).isEqualTo("192.0.2.1");
    assertThat(newest.has("created_at")).isTrue();
    assertThat(records.get(5).has("from")).isFalse();
    assertThat(call(there, ann, "GET /audit", "").json().get("data").isEmpty()).isTrue();
  }

  private static String summary(JsonNode one) {
    return "%s %s %s %s %d"
        .formatted(
            one.path("source").asString(""),
            one.get("operation_id").asString(),
            one.get("target").asString(),
            one.get("operation_result").asString(),
            one.get("http_status_code").asInt());
  }

  @Test
  void shouldPageAndFilterRecords() {
    for (int i = 0; i < 5; i++) {
      succeed(LOCAL, "POST /api_key", "{'name':'key%d'}".formatted(i));
      fail(LOCAL, "DELETE /users/user%d".formatted(i), "", ErrorCode.USER_NOT_FOUND);
    }
    JsonNode first = succeed(LOCAL, "GET /audit?limit=3&operation_result=success", "");
    assertThat(targets(first)).containsExactly("key4", "key3", "key2");
    assertThat(first.get("meta").get("hasnext").asBoolean()).isTrue();
    String cursor = first.get("meta").get("cursor").asString();
    succeed(LOCAL, "POST /api_key", "{'name':'key5'}");
    JsonNode second =
        succeed(LOCAL, "GET /audit?limit=3&operation_result=success&cursor=" + cursor, "");
    assertThat(targets(second)).containsExactly("key1", "key0");
    assertThat(second.get("meta").get("hasnext").asBoolean()).isFalse();
    assertThat(second.get("meta").has("cursor")).isFalse();
    assertThat(targets(succeed(LOCAL, "GET /audit?limit=4&page=3", "")))
        .containsExactly("key1", "user0", "key0");
    assertThat(targets(succeed(LOCAL, "GET /audit?page=100001&limit=1", ""))).isEmpty();
    assertThat(targets(succeed(LOCAL, "GET /audit?operation_id=deleteUser&limit=1", "")))
        .containsExactly("user4");
    assertThat(targets(succeed(LOCAL, "GET /audit?source=ann", ""))).isEmpty();
    assertThat(targets(succeed(LOCAL, "GET /audit?source=local&source_ip=192.0.2.1", "")))
        .hasSize(11);
    assertThat(targets(succeed(LOCAL, "GET /audit?lte_created_at=2020-01-01T00:00:00Z", "")))
        .isEmpty();
    assertThat(targets(succeed(LOCAL, "GET /audit?gte_created_at=0", ""))).hasSize(11);
    fail(LOCAL, "GET /audit?cursor=x", "", ErrorCode.BAD_REQUEST);
    fail(LOCAL, "GET /audit?cursor=node1=99999999999999999999", "", ErrorCode.BAD_REQUEST);
    fail(LOCAL, "GET /audit?gte_created_at=-1", "", ErrorCode.BAD_REQUEST);
    fail(LOCAL, "GET /audit?operation_result=maybe", "", ErrorCode.BAD_REQUEST);
  }

  private static List<String> targets(JsonNode page) {
    return page.get("data").valueStream().map(one -> one.get("target").asString()).toList();
  }
}
