package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.load.ResultMetric;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Each response must have the expected number of elements, unless it may have fewer. */
class PageReadTest {
  private static final String COMPLETE = "{\"data\":[1,2],\"meta\":{\"hasnext\":false}}";
  private static final String PARTIAL = "{\"data\":[1],\"meta\":{\"partial\":[\"time is up\"]}}";

  private static Measurement measure(PageRead read, String body) throws IOException {
    try (ApiStub api = new ApiStub(200, path -> body);
        ApiConnection connection = new ApiConnection(api.endpoint())) {
      return read.measure(connection, 2);
    }
  }

  @Test
  void shouldAcceptPagesWithTheExpectedElements() throws IOException {
    Measurement measurement = measure(PageRead.of("list", i -> "/clients", 2), COMPLETE);
    assertThat(measurement.faultLines()).isEmpty();
    assertThat(measurement.figures()).containsEntry(ResultMetric.PARTIAL_PERCENT, 0.0);
    assertThat(measurement.figures().get(ResultMetric.REQUEST_MAX_MS)).isPositive();
  }

  @Test
  void shouldAcceptAnObject() throws IOException {
    Measurement measurement = measure(PageRead.of("one", i -> "/clients/a", 1), "{\"node\":\"n\"}");
    assertThat(measurement.faultLines()).isEmpty();
  }

  @Test
  void shouldReportMissingElements() throws IOException {
    Measurement measurement = measure(PageRead.of("list", i -> "/clients", 3), COMPLETE);
    assertThat(measurement.figures()).containsEntry(ResultMetric.FAILED_REQUESTS, 2.0);
    assertThat(measurement.faultLines())
        .contains("GET /clients: expected 200 and 3 elements, not 200 " + COMPLETE);
  }

  @Test
  void shouldAcceptAndCountPartialPages() throws IOException {
    Measurement measurement = measure(PageRead.of("list", i -> "/clients", 2), PARTIAL);
    assertThat(measurement.faultLines()).isEmpty();
    assertThat(measurement.figures()).containsEntry(ResultMetric.PARTIAL_PERCENT, 100.0);
  }

  @Test
  void shouldContinueWithTheCursorUntilTheLastPage() throws IOException {
    try (ApiStub api =
            new ApiStub(
                200,
                path ->
                    path.contains("cursor")
                        ? "{\"data\":[3],\"meta\":{}}"
                        : "{\"data\":[1,2],\"meta\":{\"cursor\":\"a+b\"}}");
        ApiConnection connection = new ApiConnection(api.endpoint())) {
      PageRead read = new PageRead("next page", i -> "/clients?limit=2", 2, true);
      assertThat(read.measure(connection, 3).faultLines()).isEmpty();
      assertThat(api.requests())
          .containsExactly(
              "/api/v5/clients?limit=2",
              "/api/v5/clients?limit=2&cursor=a%2Bb",
              "/api/v5/clients?limit=2",
              "/api/v5/clients?limit=2&cursor=a%2Bb");
    }
  }
}
