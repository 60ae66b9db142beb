package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.AuditRecord;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.bans.TestBans;
import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.HttpReply;
import io.fjordmq.broker.records.TestRecords;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Bans as callers of the API see them. The token of a caller is its role, or its tenant. */
class BannedResourceTest {
  private static final String OPERATOR = "operator";

  private final JsonMapper mapper = JsonMapper.builder().build();
  private final TestRecords test = new TestRecords();
  private final TestAudit audit = new TestAudit();
  private final RestApi api =
      new RestApi(
          List.of(new BannedResource(TestBans.open(test))),
          (credentials, address) ->
              CompletableFuture.completedFuture(caller(((Credentials.Bearer) credentials).token())),
          audit,
          "1.2.3",
          () -> {});

  private record Reply(int status, JsonNode json) {}

  private static Caller caller(String token) {
    return switch (token) {
      case "viewer" -> new Caller("vic", Caller.Kind.USER, Role.VIEWER, null);
      case OPERATOR -> new Caller("ann", Caller.Kind.USER, Role.OPERATOR, null);
      case "administrator" -> new Caller("root", Caller.Kind.USER, Role.ADMINISTRATOR, null);
      default -> new Caller("ten", Caller.Kind.USER, Role.ADMINISTRATOR, token);
    };
  }

  @AfterEach
  void close() {
    test.close();
  }

  private Reply call(String token, String request, String body) {
    String[] words = request.split(" ", 2);
    String[] target = words[1].split("\\?", 2);
    byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    ApiCall call =
        new ApiCall(
            words[0],
            "/api/v5" + target[0],
            target.length == 1 ? "" : target[1],
            Optional.of("Bearer " + token),
            Optional.of("application/json"),
            Optional.empty(),
            "localhost:18083",
            "192.0.2.1",
            () -> CompletableFuture.completedFuture(bytes),
            ApiCall.Memory.UNLIMITED,
            System.nanoTime() + Duration.ofMinutes(1).toNanos());
    HttpReply reply = api.handle(call, Runnable::run).orTimeout(60, TimeUnit.SECONDS).join();
    return new Reply(
        reply.status(),
        reply.body().length == 0 ? mapper.createObjectNode() : mapper.readTree(reply.body()));
  }

  private JsonNode succeed(String token, String request, String body) {
    Reply reply = call(token, request, body);
    assertThat(reply.status()).as(reply.json().toString()).isBetween(200, 299);
    return reply.json();
  }

  private String fail(String token, String request, String body, ErrorCode code) {
    Reply reply = call(token, request, body);
    assertThat(reply.json().path("code").asString()).isEqualTo(code.name());
    assertThat(reply.status()).isEqualTo(code.status());
    return reply.json().path("message").asString();
  }

  private List<String> who(String token, String query) {
    return succeed(token, "GET /banned" + query, "")
        .get("data")
        .valueStream()
        .map(ban -> ban.get("who").asString())
        .toList();
  }

  @Test
  void shouldAcceptAllOffsetsOfRfc3339() {
    String body = "{'as':'clientid','who':'c','until':'2030-06-01T20:00:00+20:00'}";
    assertThat(succeed(OPERATOR, "POST /banned", body).get("until").asString())
        .isEqualTo("2030-06-01T00:00:00Z");
  }

  @Test
  void shouldCreateShowAndDeleteABan() {
    String body =
        "{'as':'clientid','who':'a/b','by':'cron','reason':'noisy','at':'2029-12-30T01:00:00-23:00',"
            + "'until':'2030-06-01T02:00:00+02:00'}";
    JsonNode created = succeed(OPERATOR, "POST /banned", body);
    assertThat(created.toString())
        .isEqualTo(
            "{'as':'clientid','who':'a/b','by':'cron','reason':'noisy','at':'2029-12-31T00:00:00Z',"
                    .replace('\'', '"')
                + "\"until\":\"2030-06-01T00:00:00Z\"}");
    JsonNode list = succeed("viewer", "GET /banned", "");
    assertThat(list.get("data").get(0)).isEqualTo(created);
    assertThat(list.get("meta").get("count").asInt()).isOne();
    fail(OPERATOR, "POST /banned", body, ErrorCode.ALREADY_EXISTS);
    succeed(OPERATOR, "DELETE /banned/clientid/a%2Fb", "");
    fail(OPERATOR, "DELETE /banned/clientid/a%2Fb", "", ErrorCode.NOT_FOUND);
    assertThat(who("viewer", "")).isEmpty();
    assertThat(audit.records).extracting(AuditRecord::target).contains("clientid a/b");
  }

  @Test
  void shouldFillInWhatIsAbsent() {
    JsonNode ban = succeed(OPERATOR, "POST /banned", "{'as':'username','who':'u'}");
    assertThat(ban.get("by").asString()).isEqualTo("ann");
    assertThat(ban.get("reason").asString()).isEmpty();
    assertThat(ban.get("at").asString()).isEqualTo("2030-01-01T00:00:00Z");
    assertThat(ban.get("until").asString()).isEqualTo("infinity");
    assertThat(ban.has("tenant")).isFalse();
  }

  @Test
  void shouldFilterAndPage() {
    for (String body :
        List.of(
            "{'as':'clientid','who':'c'}",
            "{'as':'clientid','who':'d','tenant':'t'}",
            "{'as':'username','who':'c'}",
            "{'as':'peerhost','who':'2001:db8::7'}",
            "{'as':'peerhost_net','who':'192.0.2.0/24','until':'infinity'}")) {
      succeed(OPERATOR, "POST /banned", body);
    }
    assertThat(who("viewer", "")).containsExactly("c", "d", "c", "2001:db8::7", "192.0.2.0/24");
    assertThat(who("viewer", "?clientid=c")).containsExactly("c");
    assertThat(who("viewer", "?username=c&peerhost=2001:DB8:0::7"))
        .containsExactly("c", "2001:db8::7");
    assertThat(who("viewer", "?peerhost=x")).isEmpty();
    assertThat(who("viewer", "?tenant=t")).containsExactly("d");
    assertThat(who("viewer", "?page=2&limit=3")).containsExactly("2001:db8::7", "192.0.2.0/24");
    assertThat(who("t", "")).containsExactly("d");
    succeed(OPERATOR, "DELETE /banned/peerhost_net/192.0.2.0%2F24", "");
    fail(OPERATOR, "DELETE /banned/clientid/d", "", ErrorCode.NOT_FOUND);
    fail("t", "DELETE /banned/clientid/c", "", ErrorCode.NOT_FOUND);
    succeed(OPERATOR, "DELETE /banned/clientid/d?tenant=t", "");
    succeed("t", "POST /banned", "{'as':'clientid','who':'e'}");
    succeed("t", "DELETE /banned", "");
    assertThat(who("viewer", "")).containsExactly("c", "c", "2001:db8::7");
    succeed("administrator", "DELETE /banned", "");
    assertThat(who("viewer", "")).isEmpty();
  }

  @Test
  void shouldCheckRoles() {
    String body = "{'as':'clientid','who':'c'}";
    fail("viewer", "POST /banned", body, ErrorCode.UNAUTHORIZED_ROLE);
    fail("viewer", "DELETE /banned/clientid/c", "", ErrorCode.UNAUTHORIZED_ROLE);
    fail(OPERATOR, "DELETE /banned", "", ErrorCode.UNAUTHORIZED_ROLE);
  }

  @Test
  void shouldNameWhatIsInvalid() {
    assertThat(fail(OPERATOR, "POST /banned", "{'as':'ip','who':'c'}", ErrorCode.BAD_REQUEST))
        .startsWith("as must be one of clientid, username, peerhost, peerhost_net");
    assertThat(
            fail(
                OPERATOR,
                "POST /banned",
                "{'as':'peerhost','who':'localhost'}",
                ErrorCode.BAD_REQUEST))
        .startsWith("who must be an IP address");
    assertThat(
            fail(
                OPERATOR,
                "POST /banned",
                "{'as':'clientid','who':'c','until':'2029-01-01T00:00:00Z'}",
                ErrorCode.BAD_REQUEST))
        .startsWith("until must be later");
    assertThat(fail(OPERATOR, "DELETE /banned/ip/c", "", ErrorCode.BAD_REQUEST))
        .startsWith("as must be one of");
    assertThat(fail(OPERATOR, "DELETE /banned/peerhost/localhost", "", ErrorCode.NOT_FOUND))
        .startsWith("the ban does not exist: who must be an IP address");
    assertThat(fail(OPERATOR, "DELETE /banned/clientid/c?tenant=%0A", "", ErrorCode.BAD_REQUEST))
        .isEqualTo("tenant: must have at most 256 characters and no line breaks");
    fail(OPERATOR, "DELETE /banned/clientid/c?tenant=", "", ErrorCode.NOT_FOUND);
    fail("t", "POST /banned", "{'as':'clientid','who':'c','tenant':'x'}", ErrorCode.BAD_REQUEST);
  }
}
