package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One node process of the cluster under test. Used by one thread. */
final class ChaosNode {
  static final int MQTT_PORT = 1883;
  private static final int CLUSTER_PORT = 8899;
  private static final int HTTP_PORT = 18083;
  private static final long STOP_SECONDS = 60;
  private static final int CONTROL_MILLIS = 200;

  /** The first line of a response to a command that has to be repeated until it is complete. */
  private static final String IN_PROGRESS = "75";

  private final int number;
  private final Network network;
  private final Clocks clocks;
  private final Path folder;
  private final Path home;
  private final NodeVersions versions;
  private @Nullable Process process;
  private int starts;
  private boolean older;

  /**
   * @param number from 1; node 1 bootstraps the cluster
   * @param folder for its data, logs and configuration
   * @param home of FjordMQ, for conf/logback.xml
   * @param versions what it can run; it begins with the older version if there is one
   * @param extra lines of its configuration
   */
  ChaosNode(
      int number,
      int nodes,
      Network network,
      Clocks clocks,
      Path folder,
      Path home,
      NodeVersions versions,
      String extra)
      throws IOException {
    this.number = number;
    this.network = network;
    this.clocks = clocks;
    this.folder = folder;
    this.home = home;
    this.versions = versions;
    this.older = versions.older() != null;
    Files.createDirectories(folder);
    String seeds =
        IntStream.rangeClosed(1, nodes)
            .mapToObj(node -> Network.address(node) + ":" + CLUSTER_PORT)
            .collect(Collectors.joining(","));
    Files.writeString(
        folder.resolve("node.yml"),
        """
        bootstrap: %s
        mqttServerConfig:
          tcpListener:
            port: %d
        httpConfig:
          host: 127.0.0.1
          port: %d
        securityConfig:
          allowAnonymous: true
        sessionConfig: # and then gets everything at once, not 512 KiB a second
          writeBytesPerSecond: 0
          maxQueuedMessages: 1000000 # nothing is dropped for live subscribers of a slow node
          maxQueuedBytes: 1 GiB
        inboxConfig: # one subscriber is away all the time, for hours perhaps
          limits:
            maxMessages: 10000000
            maxBytes: 4 GiB
        clusterConfig:
          env: Chaos
          host: %s
          port: %d
          seedEndpoints: %s
        """
                .formatted(
                    number == 1, MQTT_PORT, HTTP_PORT, Network.address(number), CLUSTER_PORT, seeds)
            + extra);
  }

  int number() {
    return number;
  }

  boolean isRunning() {
    Process now = process;
    return now != null && now.isAlive();
  }

  /** Whether it runs the older version. */
  boolean isOlder() {
    return older;
  }

  /** From its next start on. */
  void changeVersion() {
    older = !older;
  }

  /** Whether it has logged this text since its first start. */
  boolean hasLogged(String text) {
    for (int start = 1; start <= starts; start++) {
      try (Stream<String> lines = Files.lines(folder.resolve("output-" + start + ".log"))) {
        if (lines.anyMatch(line -> line.contains(text))) {
          return true;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return false;
  }

  void start() {
    starts++;
    List<String> line = new ArrayList<>(network.commandPrefix(number));
    List<String> olderJava = versions.older();
    line.addAll(older && olderJava != null ? olderJava : versions.current());
    line.add("-Dlogback.configurationFile=" + home.resolve("conf/logback.xml"));
    line.addAll(List.of("-Dfjordmq.console=INFO", "io.fjordmq.broker.Main"));
    line.addAll(List.of("-c", folder.resolve("node.yml").toString(), "-d", folder.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output-" + starts + ".log").toFile());
    builder.environment().putAll(clocks.environment(number));
    String preload = System.getenv("CHAOS_PRELOAD");
    if (preload != null) {
      builder.environment().merge("LD_PRELOAD", preload, (clock, more) -> clock + ":" + more);
    }
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL. */
  void kill() {
    running().destroyForcibly();
    awaitExit();
  }

  /** Sends SIGTERM and waits for the process to exit. */
  void stop() {
    running().destroy();
    awaitExit();
  }

  /** Stops the node like {@code standalone.sh stop --drain} and waits for the process to exit. */
  void drain() {
    try {
      Files.writeString(folder.resolve("data/drain"), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    stop();
  }

  /**
   * Moves its replicas to other nodes and removes it from the cluster, like {@code standalone.sh
   * leave}; returns when its process has exited.
   *
   * @param seconds time allowed for moving the replicas
   * @return its first response, which says how many ranges it had to move
   */
  String decommission(long seconds) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    String first = control("leave", deadline);
    String response = first;
    while (response.startsWith(IN_PROGRESS)) {
      ChaosCluster.pause(CONTROL_MILLIS);
      response = control("leave", deadline);
    }
    if (!response.startsWith("0")) {
      throw new IllegalStateException("node " + number + " was not decommissioned: " + response);
    }
    drain();
    return first.substring(first.indexOf('\n') + 1).strip();
  }

  /** Waits until its log has this text. */
  private void awaitLog(String text, long deadline) {
    while (!hasLogged(text)) {
      requireTime(text, deadline);
      ChaosCluster.pause(CONTROL_MILLIS);
    }
  }

  private void requireTime(String what, long deadline) {
    if (!isRunning() || System.nanoTime() > deadline) {
      throw new IllegalStateException(
          "node " + number + (isRunning() ? " is late: " : " has exited: ") + what);
    }
  }

  /** Returns the response to a command, which begins with an exit code. */
  private String control(String command, long deadline) {
    awaitLog("FjordMQ is ready", deadline); // deletes earlier requests before that
    Path directory = folder.resolve("data/control");
    Path response = directory.resolve("chaos.response");
    try {
      Path request = directory.resolve("chaos.new");
      Files.writeString(request, command + "\n");
      Files.move(request, directory.resolve("chaos.request"));
      while (!Files.exists(response)) {
        requireTime("no response to " + command, deadline);
        ChaosCluster.pause(CONTROL_MILLIS);
      }
      String text = Files.readString(response);
      Files.delete(response);
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends SIGSTOP: the process makes no progress, but its connections stay open. */
  void freeze() {
    Command.run("kill", "-STOP", Long.toString(running().pid()));
  }

  void thaw() {
    Command.run("kill", "-CONT", Long.toString(running().pid()));
  }

  private Process running() {
    Process now = process;
    if (now == null) {
      throw new IllegalStateException("node " + number + " is not running");
    }
    return now;
  }

  private void awaitExit() {
    try {
      if (!running().waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "node " + number + " still runs after " + STOP_SECONDS + " s; see " + folder);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
