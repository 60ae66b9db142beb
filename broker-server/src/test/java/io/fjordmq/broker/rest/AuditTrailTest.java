package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.AuditRecord;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.http.ApiCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which requests are recorded, and with which result. */
class AuditTrailTest {
  private static final Caller CALLER = new Caller("ann", Caller.Kind.USER, Role.OPERATOR, null);

  private final TestAudit audit = new TestAudit();

  private int call(Operation operation, Duration timeout) {
    return call(operation, timeout, Runnable::run);
  }

  private int call(Operation operation, Duration timeout, Executor threads) {
    RestApi api =
        new RestApi(
            List.of(() -> List.of(operation)),
            (credentials, address) -> CompletableFuture.completedFuture(CALLER),
            audit,
            "1.0",
            () -> {});
    ApiCall call =
        new ApiCall(
            operation.method().name(),
            "/api/v5/things/a%20b",
            "",
            Optional.of("Bearer x"),
            Optional.empty(),
            Optional.empty(),
            "localhost",
            "192.0.2.1",
            () -> CompletableFuture.completedFuture(new byte[0]),
            ApiCall.Memory.UNLIMITED,
            System.nanoTime() + timeout.toNanos());
    return api.handle(call, threads).join().status();
  }

  private int call(Operation operation) {
    return call(operation, Duration.ofMinutes(1));
  }

  private static Operation.Builder operation(Operation.Builder builder) {
    return builder
        .id("do")
        .tag("Things")
        .summary("Do it")
        .role(Role.OPERATOR)
        .path("thing", "Name")
        .noContent();
  }

  private static CompletableFuture<Response> succeed(Request request) {
    return CompletableFuture.completedFuture(Response.noContent());
  }

  private void expect(String target, int status) {
    assertThat(audit.records).hasSize(1);
    AuditRecord one = audit.records.get(0);
    assertThat(one.caller()).isEqualTo(CALLER);
    assertThat(one.address()).isEqualTo("192.0.2.1");
    assertThat(one.operation()).isEqualTo("do");
    assertThat(one.target()).isEqualTo(target);
    assertThat(one.status()).isEqualTo(status);
  }

  @Test
  void shouldRecordAChange() {
    assertThat(
            call(operation(Operation.delete("/things/{thing}")).handler(AuditTrailTest::succeed)))
        .isEqualTo(204);
    expect("a b", 204);
  }

  @Test
  void shouldRecordOnTheThreadsOfTheApi() {
    AtomicInteger tasks = new AtomicInteger();
    int[] before = new int[1];
    Operation operation =
        operation(Operation.delete("/things/{thing}"))
            .handler(
                request -> {
                  before[0] = tasks.get();
                  return succeed(request);
                });
    Executor threads =
        task -> {
          tasks.incrementAndGet();
          task.run();
        };
    assertThat(call(operation, Duration.ofMinutes(1), threads)).isEqualTo(204);
    assertThat(tasks.get() - before[0]).as("the record").isEqualTo(1);
    expect("a b", 204);
  }

  @Test
  void shouldNotRecordAQuery() {
    assertThat(call(operation(Operation.get("/things/{thing}")).handler(AuditTrailTest::succeed)))
        .isEqualTo(204);
    assertThat(audit.records).isEmpty();
  }

  @Test
  void shouldRecordAChangeThatIsNotAllowed() {
    Operation.Builder forbidden =
        operation(Operation.delete("/things/{thing}")).role(Role.ADMINISTRATOR);
    assertThat(call(forbidden.handler(AuditTrailTest::succeed))).isEqualTo(403);
    expect("/api/v5/things/a%20b", 403);
  }

  @Test
  void shouldRecordAnInvalidRequest() {
    Operation.Builder withBody =
        operation(Operation.put("/things/{thing}")).body(RestApiTest.Part.class);
    assertThat(call(withBody.handler(AuditTrailTest::succeed))).isEqualTo(415);
    expect("/api/v5/things/a%20b", 415);
  }

  @Test
  void shouldRecordTheFailureOfAHandler() {
    Operation failing =
        operation(Operation.delete("/things/{thing}"))
            .handler(
                request -> {
                  throw ApiException.conflict("planted");
                });
    assertThat(call(failing)).isEqualTo(409);
    expect("a b", 409);
  }

  @Test
  void shouldRecordABug() {
    Operation failing =
        operation(Operation.delete("/things/{thing}"))
            .handler(
                request -> CompletableFuture.failedFuture(new IllegalStateException("planted")));
    assertThat(call(failing)).isEqualTo(500);
    expect("a b", 500);
  }

  @Test
  void shouldRecordAChangeThatDoesNotCompleteInTime() {
    CompletableFuture<Response> never = new CompletableFuture<>();
    Operation slow =
        operation(Operation.delete("/things/{thing}"))
            .target(request -> "the thing " + request.path("thing"))
            .handler(request -> never);
    assertThat(call(slow, Duration.ofMillis(50))).isEqualTo(504);
    // The request and its record have timeouts of their own.
    audit.awaitRecord();
    expect("the thing a b", 504);
    assertThat(never).isNotDone();
  }
}
