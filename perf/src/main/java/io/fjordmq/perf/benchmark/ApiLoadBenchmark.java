package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.RunStatistics;
import io.fjordmq.perf.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import tools.jackson.databind.JsonNode;

/**
 * Measures the effect of requests to the REST API on messages: latency and CPU of a load of 5,000
 * messages per second with and without requests, alternating because hosts are noisy. The requests
 * go to the node that serves the messages.
 */
record ApiLoadBenchmark(
    BenchmarkRun run,
    RunningBroker broker,
    ApiEndpoint endpoint,
    ApiLoad.Rate rate,
    Scenario messages,
    boolean probes) {
  private static final String MESSAGES = "true_100_100_qos1_p32_50mps_1n";
  private static final String PROBE = "/livez";
  private static final String WITHOUT = "without requests";

  /** Warm-up of each phase, because new clients have just connected. */
  private static final int PHASE_WARM_SECONDS = 2;

  private static final int CLIENTS_SECONDS = 30;
  private static final int POLL_MILLIS = 20;
  private static final int ALL = 10_000;

  static void run(BenchmarkRun run) throws Exception {
    Path directory = run.settings().work().resolve("node");
    BrokerSpec spec = run.spec("fjordmq", run.singleNode(), "");
    try (RunningBroker broker = run.start(spec, directory)) {
      ApiLoad.Rate rate = new ApiLoad.Rate(run.number("clients"), run.number("requests"));
      boolean probes = run.choice("pages", "api", "probe").equals("probe");
      ApiEndpoint endpoint = ApiEndpoint.of(directory);
      new ApiLoadBenchmark(run, broker, endpoint, rate, run.scenario(MESSAGES), probes).measure();
    }
  }

  private void measure() throws Exception {
    String with = "%,d requests/s".formatted(rate.perSecond());
    if (run.settings().warmSeconds() > 0) {
      run.progress("warming up for " + run.settings().warmSeconds() + " s");
      withRequests("warm-up", run.settings().warmSeconds());
    }
    int seconds = run.settings().seconds();
    for (int i = 0; i < run.settings().runs(); i++) {
      run.add(withRequests(with, seconds));
      run.add(load(WITHOUT, seconds));
    }
    double[] deliveries = run.ratios(with, WITHOUT, ResultMetric.P99_MS);
    double[] acknowledgements = run.ratios(with, WITHOUT, ResultMetric.ACK_P99_MS);
    run.note(
        ("with requests, the p99 of deliveries is %.2f times and the p99 of PUBACKs %.2f times that"
                + " without requests (medians of %d pairs of phases)")
            .formatted(
                RunStatistics.median(deliveries),
                RunStatistics.median(acknowledgements),
                deliveries.length));
  }

  private RunResult load(String column, int seconds) throws Exception {
    try (ClientLoops loops = broker.loops(run.settings().threads())) {
      return run.load(broker, loops, column, messages, PHASE_WARM_SECONDS, seconds);
    }
  }

  /** Runs the load of messages with requests, which begin when all clients are connected. */
  private RunResult withRequests(String column, int seconds) throws Exception {
    awaitClients(0); // the clients of the previous phase
    return run.loadDuring(
        () -> {
          ApiRequestMix mix = new ApiRequestMix(awaitClients((int) messages.clients().total()));
          LongFunction<String> targets =
              probes ? number -> PROBE : number -> ApiConnection.BASE + mix.path(number);
          return new ApiLoad(endpoint, rate, targets).run(PHASE_WARM_SECONDS, seconds);
        },
        () -> load(column, seconds));
  }

  /** Waits until the given number of clients is connected, and returns their identifiers. */
  private List<String> awaitClients(int count) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLIENTS_SECONDS);
    List<String> clientIds = new ArrayList<>();
    try (ApiConnection connection = new ApiConnection(endpoint)) {
      while (System.nanoTime() - deadline < 0) {
        clientIds.clear();
        for (JsonNode client : connection.require("/clients?limit=" + ALL).path("data")) {
          clientIds.add(client.path("clientid").asString(""));
        }
        if (clientIds.size() == count) {
          return clientIds;
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
    }
    throw new IOException(
        "GET /clients: expected %d clients within %d s, found %d"
            .formatted(count, CLIENTS_SECONDS, clientIds.size()));
  }
}
