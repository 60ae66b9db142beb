package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.ProcessUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Measures clients that log in with a password, one at a time; each user logs in twice. */
final class LoginBenchmark {
  private static final int LOGIN_SECONDS = 30;
  private static final int HASH_SECONDS = 300;

  private LoginBenchmark() {}

  static void run(BenchmarkRun run) throws Exception {
    int users = run.number("users");
    int runs = run.settings().runs();
    Path passwords = run.settings().work().resolve("passwords");
    hash(run.settings().checkout(), passwords, users * (runs + 1));
    String security = "securityConfig: {allowAnonymous: true, passwordFile: " + passwords + "}";
    try (RunningBroker broker = run.startNode("node", security);
        ClientLoops loops = broker.loops(1)) {
      for (int i = 0; i <= runs; i++) {
        Measurement first = logIn(loops, broker.pid(), users * i, users);
        Measurement second = logIn(loops, broker.pid(), users * i, users);
        if (i > 0) { // the first run warms up
          run.add(first.result("first login"));
          run.add(second.result("second login"));
        }
      }
    }
  }

  /** Creates a password file with the broker's own tool. */
  private static void hash(Path checkout, Path file, int users)
      throws IOException, InterruptedException {
    Files.writeString(
        file,
        IntStream.range(0, users)
            .mapToObj(i -> "user" + i + ":" + password(i) + "\n")
            .collect(Collectors.joining()));
    Process script =
        new ProcessBuilder(checkout.resolve("bin/passwd.sh").toString(), "-U", file.toString())
            .inheritIO()
            .start();
    if (!script.waitFor(HASH_SECONDS, TimeUnit.SECONDS) || script.exitValue() != 0) {
      throw new IOException("failed to hash the passwords in " + file);
    }
  }

  private static String password(int user) {
    return "secret of " + user;
  }

  /** Logs the users in, one after another, and returns means over all of them. */
  private static Measurement logIn(ClientLoops loops, long brokerPid, int firstUser, int users)
      throws Exception {
    final double cpu = ProcessUsage.of(brokerPid).cpuMicros();
    long nanos = 0;
    for (int user = firstUser; user < firstUser + users; user++) {
      String name = "user" + user;
      var credentials = new ConnectSettings.Credentials(name, password(user));
      var connect = new ConnectSettings(name, ConnectSettings.MQTT_3, true, 0, credentials);
      long start = System.nanoTime();
      LoadClient client =
          loops
              .connect(new LoadClient(connect, LoadClient.Receiver.NOTHING))
              .get(LOGIN_SECONDS, TimeUnit.SECONDS);
      nanos += System.nanoTime() - start;
      client.close();
    }
    return new Measurement()
        .put(ResultMetric.CONNECT_MEAN_MS, nanos / 1e6 / users)
        .put(
            ResultMetric.CONNECT_CPU_MICROS,
            (ProcessUsage.of(brokerPid).cpuMicros() - cpu) / users);
  }
}
