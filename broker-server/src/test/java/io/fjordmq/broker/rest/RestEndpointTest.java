package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.HttpReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests before the node is open, and after it has begun to stop. */
class RestEndpointTest {
  private final RestEndpoint endpoint = new RestEndpoint();
  private final AtomicBoolean closed = new AtomicBoolean();

  private final RestApi api =
      new RestApi(
          List.of(),
          (credentials, address) ->
              CompletableFuture.failedFuture(new ApiException(ErrorCode.BAD_TOKEN, "unknown")),
          new TestAudit(),
          "1.0",
          () -> closed.set(true));

  private static ApiCall call() {
    return new ApiCall(
        "GET",
        "/api-docs",
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        "localhost",
        "127.0.0.1",
        () -> CompletableFuture.completedFuture(new byte[0]),
        ApiCall.Memory.UNLIMITED,
        System.nanoTime() + Duration.ofMinutes(1).toNanos());
  }

  private String send() {
    return text(endpoint.handle(call(), Runnable::run).join());
  }

  private static String text(HttpReply reply) {
    return reply.status() + " " + new String(reply.body(), StandardCharsets.UTF_8);
  }

  @Test
  void shouldSayWhyTheApiIsUnavailable() {
    assertThat(send())
        .isEqualTo(
            "503 {\"code\":\"SERVICE_UNAVAILABLE\",\"message\":"
                + "\"the node is starting; /readyz reports when it is ready\"}");
    assertThat(text(endpoint.refuse(call()).join().orElseThrow())).contains("503", "starting");

    endpoint.open(() -> api);
    assertThat(send()).startsWith("200 <!doctype html>");
    assertThat(text(endpoint.refuse(call()).join().orElseThrow())).startsWith("401 ");

    endpoint.close();
    assertThat(send()).contains("503", "the node is stopping");
    assertThat(closed).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v5, true",
    "/api/v5/nodes, true",
    "/api-docs, true",
    "/api-docs/, true",
    "/api-docs/swagger.json, true",
    "/api/v50, false",
    "/api-docsx, false",
    "/metrics, false"
  })
  void shouldServeOnlyItsPaths(String path, boolean served) {
    assertThat(endpoint.serves(path)).isEqualTo(served);
  }
}
