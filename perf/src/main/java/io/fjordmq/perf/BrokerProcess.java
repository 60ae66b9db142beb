package io.fjordmq.perf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/**
 * A broker process that the tool started on a loopback port, and ends by its process id.
 *
 * @param name in reports
 * @param pid of the broker itself, not of a script that started it
 * @param address that clients connect to
 * @param startSeconds from the start command to the first CONNACK
 * @param idleKilobytes resident memory at that time
 */
public record BrokerProcess(
    String name, long pid, InetSocketAddress address, double startSeconds, long idleKilobytes)
    implements AutoCloseable {
  private static final long START_SECONDS = 60;

  /** In a checkout without a build, the start script builds first. */
  private static final long BUILD_SECONDS = 900;

  private static final long STOP_SECONDS = 30;

  /** Pause after startup; tests that measure nothing use less. */
  private static final int SETTLE_SECONDS = Integer.getInteger("fjordmq.perf.settleSeconds", 5);

  /** Debian's mosquitto with persistence and without limits. */
  public static BrokerProcess mosquitto(Path directory) throws IOException, InterruptedException {
    return mosquitto(directory, "");
  }

  /**
   * The same with additional configuration.
   *
   * @param more lines of mosquitto.conf, with another listener
   */
  public static BrokerProcess mosquitto(Path directory, String more)
      throws IOException, InterruptedException {
    return mosquitto(directory, more, UnaryOperator.identity());
  }

  /**
   * The same with a modified start command.
   *
   * @param manner wraps the start command, for example to limit resources
   */
  public static BrokerProcess mosquitto(
      Path directory, String more, UnaryOperator<List<String>> manner)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    Path config = directory.resolve("mosquitto.conf");
    Files.createDirectories(directory);
    Files.writeString(
        config,
        """
        listener %d 127.0.0.1
        allow_anonymous true
        persistence true
        persistence_location %s/
        max_queued_messages 0
        max_inflight_messages 0
        user root
        %s\
        """
            .formatted(port, directory, more));
    Path log = directory.resolve("mosquitto.log");
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(manner.apply(List.of("mosquitto", "-c", config.toString())))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return settled("mosquitto", process.pid(), port, start, SETTLE_SECONDS, log);
  }

  /** The broker of a checkout, started by its own script. */
  public static BrokerProcess fjordmq(String name, Path checkout, Path directory)
      throws IOException, InterruptedException {
    return fjordmq(name, checkout, directory, "");
  }

  /**
   * The same with additional configuration.
   *
   * @param more listeners below mqttServerConfig, indented; then other sections
   */
  public static BrokerProcess fjordmq(String name, Path checkout, Path directory, String more)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    String configuration = oneNode(port, FreePorts.one(), more);
    return started(name, checkout, directory, port, configuration, true);
  }

  /**
   * The configuration of a single node.
   *
   * @param more listeners below mqttServerConfig, indented; then other sections
   */
  public static String oneNode(int port, int httpPort, String more) throws IOException {
    return """
    bootstrap: true
    mqttServerConfig:
      tcpListener:
        host: 127.0.0.1
        port: %d
    %shttpConfig:
      host: 127.0.0.1
      port: %d
    clusterConfig:
      env: Perf
      host: 127.0.0.1
      port: %d
    """
        .formatted(port, more, httpPort, FreePorts.forCluster());
  }

  /**
   * One node of a cluster.
   *
   * @param first whether it bootstraps the cluster
   * @param clusterPort one of the seeds'
   * @param seeds as in clusterConfig.seedEndpoints
   * @param voters of each range of every store
   */
  public static BrokerProcess clusterNode(
      String name,
      Path checkout,
      Path directory,
      boolean first,
      int clusterPort,
      String seeds,
      int voters)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    String configuration =
        """
        bootstrap: %s
        mqttServerConfig:
          tcpListener:
            host: 127.0.0.1
            port: %d
        httpConfig:
          host: 127.0.0.1
          port: %d
        clusterConfig:
          env: Perf
          host: 127.0.0.1
          port: %d
          seedEndpoints: %s
        storeConfig:
          dist:
            replicaVoterCount: %d
          inbox:
            replicaVoterCount: %d
          retain:
            replicaVoterCount: %d
        """
            .formatted(first, port, FreePorts.one(), clusterPort, seeds, voters, voters, voters);
    return started(name, checkout, directory, port, configuration, true);
  }

  /**
   * A node with the given configuration.
   *
   * @param port of its listener for clients
   * @param settle whether to wait some seconds after it has begun to serve
   */
  public static BrokerProcess started(
      String name, Path checkout, Path directory, int port, String configuration, boolean settle)
      throws IOException, InterruptedException {
    UnaryOperator<List<String>> usual = UnaryOperator.identity();
    return started(name, checkout, directory, port, configuration, settle, usual);
  }

  /**
   * The same with a modified start command.
   *
   * @param manner wraps the start command, for example to limit resources; the checkout must be
   *     built
   */
  public static BrokerProcess started(
      String name,
      Path checkout,
      Path directory,
      int port,
      String configuration,
      boolean settle,
      UnaryOperator<List<String>> manner)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path config = directory.resolve("standalone.yml");
    Files.writeString(config, configuration);
    long start = System.nanoTime();
    List<String> command =
        List.of(script(checkout), "start", "-c", config.toString(), "-d", directory.toString());
    call(manner.apply(command), directory.resolve("start.log"), "FjordMQ did not start");
    return settled(name, pidIn(directory), port, start, settle ? SETTLE_SECONDS : 0, directory);
  }

  /**
   * Builds a checkout unless it is built.
   *
   * @param directory for the output of the build
   */
  public static void build(Path checkout, Path directory) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    call(
        List.of(script(checkout), "build"),
        directory.resolve("build.log"),
        "failed to build FjordMQ");
  }

  private static String script(Path checkout) {
    return checkout.resolve("bin/standalone.sh").toString();
  }

  private static void call(List<String> command, Path log, String failed)
      throws IOException, InterruptedException {
    Process script =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!script.waitFor(BUILD_SECONDS, TimeUnit.SECONDS) || script.exitValue() != 0) {
      throw new IOException(failed + ": " + Files.readString(log));
    }
  }

  private static BrokerProcess settled(
      String name, long pid, int port, long startNanos, int settleSeconds, Path log)
      throws IOException, InterruptedException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    Duration patience = Duration.ofSeconds(START_SECONDS);
    double seconds = new FirstConnack(address, log).await(startNanos, patience);
    TimeUnit.SECONDS.sleep(settleSeconds);
    return new BrokerProcess(name, pid, address, seconds, ProcessUsage.of(pid).residentKilobytes());
  }

  private static long pidIn(Path directory) throws IOException {
    List<Path> found = pidFiles(directory);
    if (found.size() != 1) {
      throw new IOException("expected one .pid file below " + directory + ", found " + found);
    }
    return pid(found.get(0));
  }

  private static List<Path> pidFiles(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      return files.filter(file -> file.getFileName().toString().endsWith(".pid")).toList();
    }
  }

  private static long pid(Path file) throws IOException {
    return Long.parseLong(
        Files.readString(file, StandardCharsets.UTF_8).trim().split("\\s+", -1)[0]);
  }

  /**
   * Ends a failed start: its child processes, and nodes that have detached but left a .pid file
   * below the directory.
   */
  public static void abandon(Path directory) throws IOException {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
    if (Files.isDirectory(directory)) {
      for (Path file : pidFiles(directory)) {
        end(pid(file));
      }
    }
  }

  /** Stops the broker gracefully and waits for it. */
  @Override
  public void close() {
    end(pid);
  }

  private static void end(long pid) {
    ProcessHandle.of(pid)
        .ifPresent(
            process -> {
              process.destroy();
              try {
                process.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException | ExecutionException | TimeoutException e) {
                process.destroyForcibly();
              }
            });
  }
}
