package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.HttpReply;
import io.fjordmq.testing.RecordBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The steps that every request goes through, with operations made for this test. */
class RestApiTest {
  private static final CompletableFuture<Response> NEVER = new CompletableFuture<>();

  private final RestApi api =
      new RestApi(
          List.of(this::operations), RestApiTest::authenticate, new TestAudit(), "1.0", () -> {});

  enum Color {
    RED,
    DARK_BLUE
  }

  record Part(@Field("Name") String name, @Field("Number") @Nullable Integer number) {}

  record Thing(
      @Field(value = "Name", minLength = 1, maxLength = 5, pattern = "[a-z]*") String name,
      @Field(value = "Size", min = 1, max = 9) int size,
      @Field("Color") @Nullable Color color,
      @Field("When") @Nullable Instant madeAt,
      @Field(value = "Parts", maxLength = 2) @Nullable List<Part> parts,
      @Field("Whether it is new") @Nullable Boolean isNew) {
    Thing {
      if (name.equals("bad")) {
        throw new IllegalArgumentException("name must not be bad");
      }
    }
  }

  record Options(
      @Field("Rate") @Nullable Integer rate,
      @Field(value = "Values", maxLength = 5, scalar = true)
          @Nullable Map<String, String> values) {}

  private List<Operation> operations() {
    return List.of(
        operation(Operation.post("/things/start"), "startThing")
            .optionalBody(Options.class)
            .ok(Options.class)
            .handler(
                request ->
                    CompletableFuture.completedFuture(Response.ok(request.body(Options.class)))),
        operation(Operation.get("/parts"), "listParts")
            .paged()
            .okListOfFields(Part.class)
            .handler(
                request ->
                    CompletableFuture.completedFuture(
                        request.paging().slice(List.of(new Part("p", 1), new Part("q", null))))),
        operation(Operation.get("/things"), "listThings")
            .query(Parameter.choice("color", "Color", List.of("red", "blue")))
            .query(Parameter.number("size", "Size", 1, 9))
            .query(Parameter.flag("new", "New"))
            .query(Parameter.time("since", "Since"))
            .query(Parameter.text("name", "Names").repeatable())
            .paged()
            .tenants()
            .okList(Thing.class)
            .handler(RestApiTest::echoQuery),
        operation(Operation.get("/things/{thing}"), "showThing")
            .path("thing", "Name")
            .ok(Thing.class)
            .notFound("No such thing")
            .handler(
                request -> {
                  throw ApiException.notFound(
                      "thing '" + request.path("thing") + "' does not exist");
                }),
        operation(Operation.put("/things/{thing}"), "putThing")
            .path("thing", "Name")
            .body(Thing.class)
            .ok(Thing.class)
            .handler(
                request ->
                    CompletableFuture.completedFuture(Response.ok(request.body(Thing.class)))),
        operation(Operation.post("/things/bulk"), "bulk")
            .bodyList(String.class, 2)
            .noContent()
            .handler(
                request -> {
                  assertThat(request.bodyList(String.class)).containsExactly("a", "b");
                  return CompletableFuture.completedFuture(Response.noContent());
                }),
        operation(Operation.delete("/things/bulk"), "never")
            .role(Role.ADMINISTRATOR)
            .noContent()
            .handler(request -> NEVER),
        operation(Operation.get("/broken"), "broken")
            .ok(Thing.class)
            .handler(
                request -> CompletableFuture.failedFuture(new IllegalStateException("planted"))),
        Operation.get("/never")
            .id("anonymousNever")
            .tag("Things")
            .summary("Anyone")
            .anonymous()
            .noContent()
            .handler(request -> NEVER),
        Operation.get("/anonymous")
            .id("anonymous")
            .tag("Things")
            .summary("Anyone")
            .anonymous()
            .noContent()
            .handler(request -> CompletableFuture.completedFuture(Response.noContent())));
  }

  private static Operation.Builder operation(Operation.Builder builder, String id) {
    return builder.id(id).tag("Things").summary("Do " + id).role(Role.VIEWER);
  }

  private static CompletableFuture<Response> echoQuery(Request request) {
    String seen =
        "%s %s %s %s %s %s tenant=%s"
            .formatted(
                request.text("color"),
                request.findNumber("size"),
                request.flag("new"),
                request.time("since"),
                request.texts("name"),
                request.paging(),
                request.tenant());
    return CompletableFuture.completedFuture(Response.ok(List.of(seen)));
  }

  private static CompletableFuture<Caller> authenticate(Credentials credentials, String address) {
    if (credentials instanceof Credentials.Basic basic && basic.secret().equals("s:1")) {
      return CompletableFuture.completedFuture(
          switch (basic.name()) {
            case "admin" -> new Caller("admin", Caller.Kind.USER, Role.ADMINISTRATOR, null);
            case "tenant" -> new Caller("tenant", Caller.Kind.API_KEY, Role.VIEWER, "acme");
            default -> new Caller("viewer", Caller.Kind.API_KEY, Role.VIEWER, null);
          });
    }
    return CompletableFuture.failedFuture(
        new ApiException(ErrorCode.BAD_API_KEY_OR_SECRET, "the secret is wrong"));
  }

  private static ApiCall call(String method, String path, String query, String body) {
    return new ApiCall(
        method,
        path,
        query,
        Optional.of(basic("viewer")),
        Optional.of("application/json; charset=UTF-8"),
        Optional.empty(),
        "localhost:1",
        "127.0.0.1",
        () -> CompletableFuture.completedFuture(body.getBytes(StandardCharsets.UTF_8)),
        ApiCall.Memory.UNLIMITED,
        System.nanoTime() + Duration.ofMinutes(5).toNanos());
  }

  private static String basic(String name) {
    return "Basic "
        + Base64.getEncoder().encodeToString((name + ":s:1").getBytes(StandardCharsets.UTF_8));
  }

  private HttpReply send(ApiCall call) {
    return api.handle(call, Runnable::run).join();
  }

  private String get(String path, String query) {
    return text(send(call("GET", path, query, "")));
  }

  private String put(String body) {
    return text(send(call("PUT", "/api/v5/things/a", "", body)));
  }

  private static String text(HttpReply reply) {
    return reply.status() + " " + new String(reply.body(), StandardCharsets.UTF_8);
  }

  @Test
  void shouldPassTypedParameters() {
    assertThat(
            get(
                "/api/v5/things",
                "color=red&size=3&new=true&since=2026-01-31T12:00:00%2B01:00&name=a+b&name=%C3%A4"
                    + "&page=2&limit=5&cursor=x"))
        .isEqualTo(
            "200 [\"Optional[red] Optional[3] true Optional[2026-01-31T11:00:00Z] [a b, ä]"
                + " Paging[page=2, limit=5, cursor=Optional[x]] tenant=Optional.empty\"]");
    assertThat(get("/api/v5/things", "since=1000"))
        .isEqualTo(
            "200 [\"Optional.empty Optional.empty false Optional[1970-01-01T00:00:01Z] []"
                + " Paging[page=1, limit=100, cursor=Optional.empty] tenant=Optional.empty\"]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "size=0        | size must be a whole number from 1 to 9, not '0'",
        "size=%31%30   | size must be a whole number from 1 to 9, not '10'",
        "size=         | size must be a whole number from 1 to 9, not ''",
        "size=99999999999999999999 | size must be a whole number from 1 to 9,",
        "size=1&size=2 | size must not occur more than once",
        "color=green   | color must be one of red, blue, not 'green'",
        "new=yes       | new must be true or false, not 'yes'",
        "since=today   | since must be a time such as 2026-01-31T12:00:00Z",
        "since=999999999999999999 | since must be a time such as",
        "limit=10001   | limit must be a whole number from 1 to 10000, not '10001'",
        "colour=red    | unknown query parameter 'colour'; did you mean color?",
        "zzzzzz=1      | unknown query parameter 'zzzzzz'; known: color, cursor, limit",
        "name=%f       | the query has a % that is not followed by two hexadecimal digits",
        "name=%ff      | the query is not valid UTF-8",
        "name=%c3%28   | the query is not valid UTF-8"
      })
  void shouldNameTheInvalidParameter(String query, String message) {
    assertThat(get("/api/v5/things", query))
        .startsWith("400 {\"code\":\"BAD_REQUEST\",\"message\":\"" + message);
  }

  @Test
  void shouldDecodeVariablesOfThePath() {
    assertThat(get("/api/v5/things/a%2Fb%20%C3%A4+;x", ""))
        .isEqualTo("404 {\"code\":\"NOT_FOUND\",\"message\":\"thing 'a/b ä+;x' does not exist\"}");
    assertThat(get("/api/v5/things/%ff", "")).startsWith("400 ");
    assertThat(get("/api/v5/things/%4", "")).startsWith("400 ");
  }

  @Test
  void shouldRejectUnknownPathsAndMethods() {
    for (String path : List.of("/api/v5/", "/api/v5/thing", "/api/v5/things/", "/api-docs/x")) {
      assertThat(get(path, "")).startsWith("404 {\"code\":\"NOT_FOUND\"");
    }
    HttpReply refused = send(call("PATCH", "/api/v5/things/a", "", ""));
    assertThat(refused.status()).isEqualTo(405);
    assertThat(refused.headers()).containsEntry("Allow", "GET, HEAD, PUT");
    assertThat(send(call("HEAD", "/api/v5/things", "", "")).status()).isEqualTo(200);
    assertThat(send(call("GET", "/api/v5/things/bulk", "", "")).status())
        .as("a literal segment comes before a variable")
        .isEqualTo(405);
  }

  @Test
  void shouldReadAndWriteRecords() {
    assertThat(
            put(
                "{\"name\":\"a\",\"size\":1,\"color\":\"dark_blue\",\"is_new\":true,"
                    + "\"made_at\":\"2026-01-31T12:00:00+01:00\",\"parts\":[{\"name\":\"p\"}]}"))
        .isEqualTo(
            "200 {\"name\":\"a\",\"size\":1,\"color\":\"dark_blue\","
                + "\"made_at\":\"2026-01-31T11:00:00Z\",\"parts\":[{\"name\":\"p\"}],"
                + "\"is_new\":true}");
    assertThat(put("{\"size\":9.0,\"name\":\"b\"}")).isEqualTo("200 {\"name\":\"b\",\"size\":9}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                        | the body is missing; send JSON",
        "{                         | the body is not valid JSON (line 1, column ",
        "{} {}                     | the body is not valid JSON",
        "{\"name\":\"a\",\"name\":\"b\",\"size\":1} | the body is not valid JSON",
        "[]                        | the body must be an object, not a list",
        "null                      | the body must be an object, not null",
        "{\"size\":1}              | name is missing",
        "{\"name\":null,\"size\":1} | name must be a string, not null",
        "{\"name\":5,\"size\":1}   | name must be a string, not 5",
        "{\"name\":\"\",\"size\":1} | name must have 1 to 5 characters, not 0",
        "{\"name\":\"abcdef\",\"size\":1} | name must have 1 to 5 characters, not 6",
        "{\"name\":\"A\",\"size\":1} | name must be a string that matches [a-z]*, not 'A'",
        "{\"name\":\"bad\",\"size\":1} | name must not be bad",
        "{\"name\":\"a\",\"size\":10} | size must be a whole number from 1 to 9, not 10",
        "{\"name\":\"a\",\"size\":1.5} | size must be a whole number from 1 to 9, not 1.5",
        "{\"name\":\"a\",\"size\":1e999} | size must be a whole number from 1 to 9, not",
        "{\"name\":\"a\",\"size\":\"1\"} | size must be a whole number from 1 to 9, not '1'",
        "{\"name\":\"a\",\"size\":1,\"colour\":\"red\"} | colour is not a known field; did you"
            + " mean",
        "{\"name\":\"a\",\"size\":1,\"color\":\"RED\"} | color must be one of red, dark_blue, not",
        "{\"name\":\"a\",\"size\":1,\"is_new\":1} | is_new must be true or false, not 1",
        "{\"name\":\"a\",\"size\":1,\"made_at\":\"x\"} | made_at must be a time such as",
        "{\"name\":\"a\",\"size\":1,\"parts\":[1]} | parts[0] must be an object, not 1",
        "{\"name\":\"a\",\"size\":1,\"parts\":[{\"name\":\"p\",\"number\":\"\"}]} |"
            + " parts[0].number",
        "{\"name\":\"a\",\"size\":1,\"parts\":[{},{},{}]} | parts must have at most 2 elements, not"
            + " 3"
      })
  void shouldNameTheInvalidField(String body, String message) {
    assertThat(put(body == null ? "" : body))
        .startsWith("400 {\"code\":\"BAD_REQUEST\",\"message\":\"" + message);
  }

  @Test
  void shouldAcceptARequestWithoutAnOptionalBody() {
    ApiCall call = call("POST", "/api/v5/things/start", "", "");
    RecordBuilder<ApiCall> plain =
        RecordBuilder.from(call).with(ApiCall::contentType, Optional.empty());
    assertThat(text(send(plain.build()))).isEqualTo("200 {}");
    assertThat(text(send(call))).isEqualTo("200 {}");
    assertThat(text(send(call("POST", "/api/v5/things/start", "", "{\"rate\":7}"))))
        .isEqualTo("200 {\"rate\":7}");
    ApiCall form = call("POST", "/api/v5/things/start", "", "rate=7");
    assertThat(
            send(RecordBuilder.from(form).with(ApiCall::contentType, Optional.empty()).build())
                .status())
        .isEqualTo(415);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "7         | 200 {\"values\":{\"k\":\"7\"}}",
        "0.25      | 200 {\"values\":{\"k\":\"0.25\"}}",
        "true      | 200 {\"values\":{\"k\":\"true\"}}",
        "\"10 s\"  | 200 {\"values\":{\"k\":\"10 s\"}}",
        "\"123456\" | 400 {\"code\":\"BAD_REQUEST\",\"message\":\"values.k must have at most 5",
        "null      | 400 {\"code\":\"BAD_REQUEST\",\"message\":\"values.k must be a string, number or",
        "[1]       | 400 {\"code\":\"BAD_REQUEST\",\"message\":\"values.k must be a string, number or"
      })
  void shouldReadScalarsAsText(String value, String response) {
    String body = "{\"values\":{\"k\":" + value + "}}";
    assertThat(text(send(call("POST", "/api/v5/things/start", "", body)))).startsWith(response);
  }

  @Test
  void shouldReduceElementsToTheRequestedFields() {
    String all = "[{\"name\":\"p\",\"number\":1},{\"name\":\"q\"}]";
    assertThat(get("/api/v5/parts", ""))
        .startsWith("200 {\"data\":" + all + ",\"meta\":{\"page\":1,");
    assertThat(get("/api/v5/parts", "fields=all")).startsWith("200 {\"data\":" + all);
    assertThat(get("/api/v5/parts", "fields=number"))
        .startsWith("200 {\"data\":[{\"number\":1},{}],\"meta\":{\"page\":1,");
    assertThat(get("/api/v5/parts", "fields=number,name"))
        .startsWith("200 {\"data\":[{\"number\":1,\"name\":\"p\"},{\"name\":\"q\"}]");
    assertThat(get("/api/v5/parts", "fields=nam"))
        .startsWith("400 ")
        .contains("did you mean name?");
    assertThat(get("/api/v5/parts", "fields=")).startsWith("400 ");
  }

  @Test
  void shouldRejectBodiesThatAreNestedDeeply() {
    assertThat(put("[".repeat(100_000))).startsWith("400 ").contains("nested too deeply");
  }

  @Test
  void shouldReadLists() {
    String path = "/api/v5/things/bulk";
    assertThat(send(call("POST", path, "", "[\"a\",\"b\"]")).status()).isEqualTo(204);
    assertThat(text(send(call("POST", path, "", "[]")))).contains("must have 1 to 2 elements");
    assertThat(text(send(call("POST", path, "", "[\"a\",1]")))).contains("[1] must be a string");
  }

  @ParameterizedTest
  @CsvSource({
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1"
  })
  void shouldRejectOtherTypesOfBodies(String type) {
    ApiCall call =
        RecordBuilder.from(call("PUT", "/api/v5/things/a", "", "{\"name\":\"a\",\"size\":1}"))
            .with(ApiCall::contentType, Optional.of(type))
            .build();
    assertThat(text(send(call))).startsWith("415 {\"code\":\"UNSUPPORTED_MEDIA_TYPE\"");
  }

  private ApiCall with(ApiCall call, @Nullable String authorization) {
    return RecordBuilder.from(call)
        .with(ApiCall::authorization, Optional.ofNullable(authorization))
        .build();
  }

  @Test
  void shouldAuthenticateCallers() {
    ApiCall call = call("GET", "/api/v5/things", "", "");
    for (String header : new String[] {null, "", "Basic", "Basic !", "Basic YQ==", "Digest x"}) {
      HttpReply refused = send(with(call, header));
      assertThat(text(refused)).startsWith("401 {\"code\":\"AUTHORIZATION_HEADER_ERROR\"");
      assertThat(refused.headers()).containsKey("WWW-Authenticate");
    }
    assertThat(text(send(with(call, "Bearer x"))))
        .isEqualTo("401 {\"code\":\"BAD_API_KEY_OR_SECRET\",\"message\":\"the secret is wrong\"}");
    assertThat(send(with(call("GET", "/api/v5/anonymous", "", ""), null)).status()).isEqualTo(204);
    assertThat(api.refuse(call).join()).isEmpty();
    assertThat(api.refuse(with(call, null)).join().orElseThrow().status()).isEqualTo(401);
  }

  @Test
  void shouldNotShowPagesAboutAllTenantsToACallerOfOneTenant() {
    ApiCall call = with(call("GET", "/status", "", ""), basic("tenant"));
    assertThat(text(api.refuse(call).join().orElseThrow()))
        .startsWith("403 {\"code\":\"FORBIDDEN\"");
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-31T12:00Z, 2026-01-31T12:00:00Z",
    "2026-01-31t12:00:00z, 2026-01-31T12:00:00Z",
    "2026-01-31T12:00:00+20:00, 2026-01-30T16:00:00Z"
  })
  void shouldReadAllTimesThatItAccepts(String time, String read) {
    assertThat(put("{\"name\":\"a\",\"size\":1,\"made_at\":\"" + time + "\"}"))
        .isEqualTo("200 {\"name\":\"a\",\"size\":1,\"made_at\":\"" + read + "\"}");
  }

  @Test
  void shouldReadBodiesOnlyForAuthorizedCallers() {
    ApiCall call =
        RecordBuilder.from(call("PUT", "/api/v5/things/a", "", ""))
            .with(ApiCall::authorization, Optional.<String>empty())
            .with(
                ApiCall::body,
                (ApiCall.Body)
                    () -> {
                      throw new AssertionError("read");
                    })
            .build();
    assertThat(send(call).status()).isEqualTo(401);
  }

  @Test
  void shouldCheckRoleAndTenant() {
    ApiCall administer = call("DELETE", "/api/v5/things/bulk", "", "");
    assertThat(text(send(administer)))
        .isEqualTo(
            "403 {\"code\":\"UNAUTHORIZED_ROLE\",\"message\":\"this operation requires the role"
                + " administrator, but viewer has the role viewer\"}");
    ApiCall show = with(call("GET", "/api/v5/things/a", "", ""), basic("tenant"));
    assertThat(text(send(show))).startsWith("403 {\"code\":\"FORBIDDEN\"");
    ApiCall list = with(call("GET", "/api/v5/things", "", ""), basic("tenant"));
    assertThat(text(send(list))).startsWith("200 ").contains("tenant=Optional[acme]");
  }

  @Test
  void shouldRefuseRequestsOfOtherWebPages() {
    ApiCall call = call("GET", "/api/v5/things", "", "");
    assertThat(send(origin(call, "https://localhost:1")).status()).isEqualTo(200);
    for (String other : List.of("http://evil", "http://localhost:2", "null")) {
      assertThat(send(origin(call, other)).status()).isEqualTo(403);
    }
  }

  private static ApiCall origin(ApiCall call, String origin) {
    return RecordBuilder.from(call).with(ApiCall::origin, Optional.of(origin)).build();
  }

  @Test
  void shouldAnswerWithTheIdOfTheLogEntryWhenAnOperationFails() {
    assertThat(get("/api/v5/broken", ""))
        .matches("500 \\{\"code\":\"INTERNAL_ERROR\",\"message\":\".* id=[0-9a-f]+\"}")
        .doesNotContain("planted", "Exception");
  }

  @Test
  void shouldTimeOut() {
    ApiCall call =
        RecordBuilder.from(with(call("DELETE", "/api/v5/things/bulk", "", ""), basic("admin")))
            .with(ApiCall::deadlineNanos, System.nanoTime() + 1_000_000)
            .build();
    assertThat(text(send(call))).startsWith("504 {\"code\":\"TIMEOUT\"");
    ApiCall anonymous =
        RecordBuilder.from(call("GET", "/api/v5/never", "", ""))
            .with(ApiCall::deadlineNanos, System.nanoTime() + 1_000_000)
            .build();
    assertThat(send(anonymous).status()).isEqualTo(504);
    assertThat(NEVER).as("the future of the handler, which others may share").isNotDone();
  }

  @Test
  void shouldServeItsDocumentation() {
    assertThat(get("/api/v5/openapi.json", "")).contains("\"openapi\":\"3.1.0\"", "listThings");
    assertThat(get("/api-docs", "")).contains("<!doctype html>", "listThings", "type-Part");
    assertThat(send(call("GET", "/api/v5/openapi.json", "", "")).gzip()).isNotEmpty();
    assertThat(send(call("GET", "/api/v5/nothing", "", "")).gzip()).isEmpty();
    assertThat(send(call("GET", "/api-docs/swagger.json", "", "")).headers())
        .containsEntry("Location", "/api/v5/openapi.json");
    assertThat(send(call("POST", "/api-docs", "", "")).status()).isEqualTo(405);
  }
}
