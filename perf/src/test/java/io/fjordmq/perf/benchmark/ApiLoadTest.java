package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.load.ResultMetric;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Requests are sent at the given rate, and failures are counted. */
class ApiLoadTest {
  private static final ApiRequestMix MIX = new ApiRequestMix(List.of("a/b", "c d"));

  @Test
  void shouldSendEveryKindOfRequestInTurn() {
    assertThat(LongStream.range(0, 10).mapToObj(MIX::path))
        .containsExactly(
            "/clients?limit=100",
            "/clients/a%2Fb",
            "/clients/a%2Fb/subscriptions",
            "/stats",
            "/subscriptions?limit=20",
            "/clients?limit=100",
            "/clients/c%20d",
            "/clients/c%20d/subscriptions",
            "/stats",
            "/subscriptions?limit=20");
  }

  @Test
  void shouldMeasureTheRequestsOfThePeriod() throws Exception {
    try (ApiStub api = new ApiStub(200, path -> "{}")) {
      ApiLoad load =
          new ApiLoad(
              api.endpoint(),
              new ApiLoad.Rate(2, 20),
              number -> ApiConnection.BASE + MIX.path(number));
      Map<ResultMetric, Double> figures = load.run(1, 1).figures();
      assertThat(api.requests().size()).isBetween(21, 40); // fewer on a busy host
      assertThat(figures.get(ResultMetric.REQUESTS)).isBetween(1.0, 20.0);
      assertThat(figures.get(ResultMetric.REQUEST_P99_MS)).isPositive();
      assertThat(figures).containsEntry(ResultMetric.FAILED_REQUESTS, 0.0);
    }
  }

  @Test
  void shouldReportFailures() throws Exception {
    try (ApiStub api = new ApiStub(503, path -> "{\"code\":\"SERVICE_UNAVAILABLE\"}")) {
      ApiLoad load =
          new ApiLoad(
              api.endpoint(),
              new ApiLoad.Rate(1, 5),
              number -> ApiConnection.BASE + MIX.path(number));
      Measurement measurement = load.run(0, 1);
      assertThat(measurement.figures().get(ResultMetric.FAILED_REQUESTS)).isPositive();
      assertThat(measurement.figures()).containsEntry(ResultMetric.REQUESTS, 0.0);
      assertThat(measurement.faultLines())
          .contains(
              "GET /api/v5/clients?limit=100: expected 200, not 503 {\"code\":\"SERVICE_UNAVAILABLE\"}");
    }
  }
}
