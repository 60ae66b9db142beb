package io.fjordmq.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Clients that log in with a password and disconnect, one after the other. */
final class Logins {
  private static final int WAIT_SECONDS = 30;
  private static final int HASH_SECONDS = 300;

  /**
   * The cost of one login.
   *
   * @param millis from the start of the connection to the CONNACK
   * @param cpuMillis of the broker
   */
  record Cost(double millis, double cpuMillis) {}

  private final ClientLoops loops;
  private final long brokerPid;

  Logins(ClientLoops loops, long brokerPid) {
    this.loops = loops;
    this.brokerPid = brokerPid;
  }

  /** Creates a password file with the given number of users, with the broker's own tool. */
  static void hash(Path checkout, Path file, int users) throws IOException, InterruptedException {
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
      throw new IOException("failed to hash the passwords");
    }
  }

  private static String password(int user) {
    return "secret of " + user;
  }

  /** The mean over the given number of users. */
  Cost run(int firstUser, int users) throws Exception {
    long cpu = ProcessUsage.of(brokerPid).cpuMicros();
    long nanos = 0;
    for (int user = firstUser; user < firstUser + users; user++) {
      String name = "user" + user;
      String password = password(user);
      long start = System.nanoTime();
      LoadClient client =
          loops
              .connect(
                  new LoadClient(
                      name,
                      out -> MqttWire.login(out, name, name, password),
                      LoadClient.Receiver.NOTHING))
              .get(WAIT_SECONDS, TimeUnit.SECONDS);
      nanos += System.nanoTime() - start;
      client.close();
    }
    double cpuMicros = ProcessUsage.of(brokerPid).cpuMicros() - cpu;
    return new Cost(nanos / 1e6 / users, cpuMicros / 1e3 / users);
  }
}
