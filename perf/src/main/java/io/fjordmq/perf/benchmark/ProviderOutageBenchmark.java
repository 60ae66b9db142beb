package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.LoadRun;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.Users;
import io.fjordmq.perf.scenario.ClientUsers;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.UsageException;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.perf.users.ServerUsers;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Kills and restarts the server of the provider while connected clients exchange messages and new
 * clients log in. Connected clients must not notice it: none is disconnected, and no message is
 * lost. New clients must be refused with 0x88 during the outage, and be accepted after it.
 */
record ProviderOutageBenchmark(
    BenchmarkRun run,
    Scenario scenario,
    RunningBroker broker,
    ServerUsers server,
    CountDownLatch measuring) {
  /** The reason code with {@code onError: deny}. */
  private static final String REFUSAL = "CONNACK 0x88";

  /** Longer than the time limit of the provider. */
  private static final int RESPONSE_SECONDS = 10;

  private static final int POLL_MILLIS = 20;

  /** The load goes on for this long after the last phase. */
  private static final int MARGIN_SECONDS = 2;

  /**
   * Nodes load the rules of connected clients again every second, so that this also fails during
   * the outage. Nothing is cached.
   */
  private static final String SETTINGS =
      """
      securityConfig:
        authentication: [{cacheTime: 0 s}]
        authorization: [{cacheTime: 0 s, refreshInterval: 1 s}]
      """;

  static void run(BenchmarkRun run) throws Exception {
    UserStore store = run.userStore("provider", List.of(UserStore.REDIS));
    Scenario scenario = run.scenario(run.parameter("load")).with(new ClientUsers(store, 0));
    for (int i = 0; i < run.settings().runs(); i++) {
      try (RunningBroker broker = run.start(run.spec(store + " outage", scenario, SETTINGS))) {
        if (!(broker.users() instanceof ServerUsers server)) {
          throw new UsageException("--set provider=" + store + " is not a server that can fail");
        }
        CountDownLatch measuring = new CountDownLatch(1);
        run.add(new ProviderOutageBenchmark(run, scenario, broker, server, measuring).measure());
      }
    }
  }

  private RunResult measure() throws Exception {
    int seconds = 3 * run.settings().seconds() + MARGIN_SECONDS;
    LoadRun load = new LoadRun(scenario, run.settings().warmSeconds(), seconds, observer());
    try (ClientLoops loops = broker.loops(run.settings().threads())) {
      return run.loadDuring(this::outage, () -> run.load(broker, loops, broker.name(), load));
    }
  }

  private LoadRun.Observer observer() {
    return new LoadRun.Observer() {
      @Override
      public void onProgress(String line) {
        run.progress(line);
      }

      @Override
      public void onMeasuring() {
        measuring.countDown();
      }
    };
  }

  /** Runs the phases once the load is measured. */
  private Measurement outage() throws Exception {
    measuring.await();
    LoginLog log = new LoginLog(REFUSAL);
    Users users = new Users(scenario);
    try (ClientLoops loops = broker.loops(1);
        NewClients clients =
            new NewClients(loops, run.number("logins"), number -> connect(users, number), log)) {
      TimeUnit.SECONDS.sleep(run.settings().seconds());
      run.progress("killing the server of the provider");
      final long killing = System.nanoTime();
      server.kill();
      final long killed = System.nanoTime();
      TimeUnit.SECONDS.sleep(run.settings().seconds());
      run.progress("restarting it");
      final long restarting = System.nanoTime();
      server.restart();
      final long restarted = System.nanoTime();
      TimeUnit.SECONDS.sleep(run.settings().seconds());
      clients.close();
      Measurement measurement = new Measurement();
      if (!areAnswered(clients)) {
        measurement.fault(clients.unanswered() + " new clients received no response");
      }
      log.addTo(measurement, new LoginLog.Outage(killing, killed, restarting, restarted));
      run.note(log.summary());
      return measurement;
    }
  }

  private static boolean areAnswered(NewClients clients) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(RESPONSE_SECONDS);
    while (clients.unanswered() > 0 && System.nanoTime() - deadline < 0) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    return clients.unanswered() == 0;
  }

  private static ConnectSettings connect(Users users, long number) {
    return new ConnectSettings(
        "new-" + number, ConnectSettings.MQTT_5, true, 0, users.credentials(Users.ADMIN));
  }
}
