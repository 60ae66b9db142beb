package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.ConnectSettings.Credentials;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.Arrivals;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.Users;
import io.fjordmq.perf.scenario.ClientUsers;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.UsageException;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.perf.users.UserAccount;
import io.fjordmq.perf.users.UserServices;
import io.fjordmq.testing.LocalServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Measures how many clients can log in per second, and what a login costs: without users, with
 * users of a provider, and with users of a provider whose results are cached. The nodes run at the
 * same time, and the logins alternate between them.
 */
final class LoginBenchmark {
  private final BenchmarkRun run;
  private final int users;
  private final int atOnce;

  private LoginBenchmark(BenchmarkRun run) {
    this.run = run;
    this.users = run.number("users");
    this.atOnce = run.number("atOnce");
    if (users % atOnce != 0) {
      // Otherwise the same client would log in while its previous connection ends.
      throw new UsageException("--set users must be a multiple of atOnce, " + atOnce);
    }
  }

  static void run(BenchmarkRun run) throws Exception {
    new LoginBenchmark(run).measure(run.userStore("provider", UserStore.withUsers()));
  }

  private void measure(UserStore store) throws Exception {
    // Publishers have users with one access rule each.
    Scenario anonymous = run.scenario("true_%d_%d_qos1_p32_1mps_1n".formatted(users, users));
    Scenario named = anonymous.with(new ClientUsers(store, 0));
    List<Node> nodes = new ArrayList<>();
    nodes.add(start("without users", anonymous, ""));
    nodes.add(start(store + ", not cached", named, settings(store, 0)));
    if (store.isCacheable()) {
      nodes.add(start(store + ", cached", named, settings(store, 2 * users)));
    }
    for (Node node : nodes) {
      node.fillCaches();
    }
    for (int i = 0; i <= run.settings().runs(); i++) {
      for (Node node : nodes) {
        if (i > 0) {
          run.add(node.logIn(run.settings().seconds()).result(node.broker.name()));
        } else if (run.settings().warmSeconds() > 0) {
          run.progress("warming up " + node.broker.name());
          node.logIn(run.settings().warmSeconds());
        }
      }
    }
  }

  private Node start(String name, Scenario scenario, String settings) throws Exception {
    return new Node(run.start(run.spec(name, scenario, settings)), new Users(scenario));
  }

  private String settings(UserStore store, int cacheSize) throws Exception {
    String settings = UserServices.cacheSettings(store, cacheSize);
    if (store != UserStore.FILES) {
      return settings;
    }
    // Measure the hash that the broker's own tool writes, not the fast hash of load scenarios.
    Path file = run.settings().work().resolve("hashed-" + cacheSize);
    hash(run.settings().checkout(), file, users);
    return "securityConfig: {passwordFile: %s, loginCacheSize: %d}".formatted(file, cacheSize);
  }

  private static void hash(Path checkout, Path file, int users)
      throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < users; i++) {
      String name = nameOf(i);
      lines.add(name + ":" + UserAccount.credentials(name).password());
    }
    Files.write(file, lines);
    String script = checkout.resolve("bin/passwd.sh").toString();
    LocalServer.client(List.of(script, "-U", file.toString()), Map.of(), List.of());
  }

  private static String nameOf(long user) {
    return "p" + user;
  }

  /** A node and the users of its clients. */
  private final class Node {
    private final RunningBroker broker;

    /** Of each user, because tokens and keys take the tool longer than the login. */
    private final List<Optional<Credentials>> credentials;

    Node(RunningBroker broker, Users accounts) {
      this.broker = broker;
      this.credentials =
          IntStream.range(0, users)
              .mapToObj(user -> Optional.ofNullable(accounts.credentials(nameOf(user))))
              .toList();
    }

    private ConnectSettings connect(long number) {
      // Results of some providers depend on the client identifier, so each user has one.
      int user = (int) (number % users);
      Credentials known = credentials.get(user).orElse(null);
      return new ConnectSettings("login-" + user, ConnectSettings.MQTT_5, true, 0, known);
    }

    /** Logs in each user once. */
    void fillCaches() throws IOException, InterruptedException {
      try (ClientLoops loops = broker.loops(run.settings().threads())) {
        Arrivals arrivals = Arrivals.atOnce(atOnce);
        for (int user = 0; user < users; user++) {
          LoadClient client = new LoadClient(connect(user), LoadClient.Receiver.NOTHING);
          arrivals.connectNext(
              nameOf(user), () -> loops.connect(client), QueuedSessions::disconnect);
        }
        arrivals.requireAll();
      }
    }

    Measurement logIn(int seconds) throws InterruptedException {
      try (ClientLoops loops = broker.loops(run.settings().threads())) {
        LoginCost cost = LoginCost.begin(broker);
        final long start = System.nanoTime();
        LoginLoop logins = LoginLoop.runFor(loops, atOnce, this::connect, seconds);
        double elapsed = (System.nanoTime() - start) / 1e9;
        Measurement measurement =
            logins.measurement().put(ResultMetric.CONNECTS, logins.accepted() / elapsed);
        cost.addTo(measurement, logins.accepted());
        return measurement;
      }
    }
  }
}
