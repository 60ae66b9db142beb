package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.load.Arrivals;
import io.fjordmq.perf.users.UserAccount;
import io.fjordmq.perf.users.UserFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Offline persistent sessions with one subscription each. Session 0 belongs to the user {@link
 * #LONE_USER}, every further hundredth to {@link #FLEET_USER}, and all others to no user.
 *
 * @param count number of sessions; at least 1
 */
record OfflineSessions(int count) {
  /** User of one session. */
  static final String LONE_USER = "lone";

  /** User of one percent of the sessions. */
  static final String FLEET_USER = "fleet";

  private static final int FLEET_INTERVAL = 100;

  /** Connections at the same time. More would not be faster, but might be refused. */
  private static final int CONCURRENT = 256;

  private static final int REPORT_INTERVAL = 100_000;

  /**
   * Writes the password file that the node needs.
   *
   * @return settings of the node
   */
  static String settings(Path passwords) throws IOException {
    Files.write(
        passwords, List.of(UserFiles.passwordLine(LONE_USER), UserFiles.passwordLine(FLEET_USER)));
    return "securityConfig: {allowAnonymous: loopback, passwordFile: " + passwords + "}";
  }

  static String clientId(int session) {
    return "offline-" + session;
  }

  /** Returns the number of sessions of {@link #FLEET_USER}. */
  int ofFleet() {
    return (count - 1) / FLEET_INTERVAL;
  }

  /**
   * Creates the sessions: each client connects, subscribes and disconnects. Blocks until all have
   * done so.
   *
   * @param progress receives a line for every hundred thousand sessions
   * @throws IOException if a client is refused, or does not succeed within a minute
   */
  void create(ClientLoops loops, Consumer<String> progress)
      throws IOException, InterruptedException {
    Arrivals arrivals = Arrivals.atOnce(CONCURRENT);
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      int session = i;
      LoadClient client = new LoadClient(connect(session), LoadClient.Receiver.NOTHING);
      arrivals.connectNext(
          clientId(session),
          () -> loops.connect(client),
          connected ->
              connected
                  .subscribe("offline/" + session + "/commands", 1)
                  .thenCompose(QueuedSessions::disconnect));
      if ((session + 1) % REPORT_INTERVAL == 0) {
        double perSecond = (session + 1) * 1e9 / (System.nanoTime() - start);
        progress.accept("%,d sessions, %,.0f per second".formatted(session + 1, perSecond));
      }
    }
    arrivals.requireAll();
  }

  private static ConnectSettings connect(int session) {
    if (session % FLEET_INTERVAL != 0) {
      return ConnectSettings.simple(clientId(session), false);
    }
    var user = UserAccount.credentials(session == 0 ? LONE_USER : FLEET_USER);
    return new ConnectSettings(clientId(session), ConnectSettings.MQTT_3, false, 0, user);
  }
}
