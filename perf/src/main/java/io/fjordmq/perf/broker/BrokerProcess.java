package io.fjordmq.perf.broker;

import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A broker process that the tool has started on a loopback port. It is stopped by its process id.
 *
 * @param name name of the node
 * @param pid process id of the broker itself, not of a script that started it
 * @param address the address that clients connect to
 * @param startSeconds time from the start command to the first CONNACK
 * @param idleKilobytes resident memory after startup
 */
public record BrokerProcess(
    String name, long pid, InetSocketAddress address, double startSeconds, long idleKilobytes)
    implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

  /** Startup timeout of a checkout without a build, because its start script builds it first. */
  private static final long BUILD_SECONDS = 900;

  private static final long STOP_SECONDS = 30;

  /** File in the data directory of a node that serves clients; begins with the process id. */
  private static final String READY_FILE = "fjordmq.pid";

  /**
   * File that the data directory of a node contains after its first start; holds the process id of
   * the last start.
   */
  private static final String LOCK_FILE = "lock";

  /**
   * Pause after startup, so that the broker is idle before the load. Tests that measure nothing
   * shorten it.
   */
  private static final int SETTLE_SECONDS = Integer.getInteger("fjordmq.perf.settleSeconds", 5);

  /**
   * Starts the installed mosquitto with persistence and without message limits.
   *
   * @param settings lines of mosquitto.conf
   * @param wrapper modifies the start command, for example to limit resources
   */
  static BrokerProcess startMosquitto(
      Path directory, String settings, UnaryOperator<List<String>> wrapper)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    Path config = Files.createDirectories(directory).resolve("mosquitto.conf");
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
            .formatted(port, directory, settings));
    Path log = directory.resolve("mosquitto.log");
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(wrapper.apply(List.of("mosquitto", "-c", config.toString())))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return awaitStart("mosquitto", process.pid(), port, start, SETTLE_SECONDS, log);
  }

  /** Starts a node of a checkout with the checkout's own script. */
  public static BrokerProcess startFjordmq(
      String name, Path checkout, Path directory, NodeConfig config)
      throws IOException, InterruptedException {
    return startFjordmq(name, checkout, directory, config, true, UnaryOperator.identity());
  }

  /**
   * Starts a node of a checkout.
   *
   * @param settle whether to wait some seconds after the first CONNACK
   * @param wrapper modifies the start command, for example to limit resources; the checkout must
   *     then be built
   */
  public static BrokerProcess startFjordmq(
      String name,
      Path checkout,
      Path directory,
      NodeConfig config,
      boolean settle,
      UnaryOperator<List<String>> wrapper)
      throws IOException, InterruptedException {
    Path file = Files.createDirectories(directory).resolve("standalone.yml");
    Files.writeString(file, config.text());
    long start = System.nanoTime();
    List<String> command =
        List.of(script(checkout), "start", "-c", file.toString(), "-d", directory.toString());
    runScript(wrapper.apply(command), directory.resolve("start.log"), "FjordMQ did not start");
    List<Path> readyFiles = files(directory, READY_FILE);
    if (readyFiles.size() != 1) {
      throw new IOException(
          "expected one " + READY_FILE + " below " + directory + ", found " + readyFiles);
    }
    int settleSeconds = settle ? SETTLE_SECONDS : 0;
    return awaitStart(name, pid(readyFiles.get(0)), config.port(), start, settleSeconds, directory);
  }

  /**
   * Builds a checkout unless it is already built.
   *
   * @param directory for the output of the build
   */
  public static void build(Path checkout, Path directory) throws IOException, InterruptedException {
    Path log = Files.createDirectories(directory).resolve("build.log");
    runScript(List.of(script(checkout), "build"), log, "failed to build FjordMQ");
  }

  private static String script(Path checkout) {
    return checkout.resolve("bin/standalone.sh").toString();
  }

  private static void runScript(List<String> command, Path log, String message)
      throws IOException, InterruptedException {
    Process script =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!script.waitFor(BUILD_SECONDS, TimeUnit.SECONDS) || script.exitValue() != 0) {
      throw new IOException(message + ": " + Files.readString(log));
    }
  }

  private static BrokerProcess awaitStart(
      String name, long pid, int port, long startNanos, int settleSeconds, Path log)
      throws IOException, InterruptedException {
    InetSocketAddress address = loopback(port);
    double seconds = new FirstConnack(address, log).await(startNanos, START_TIMEOUT);
    TimeUnit.SECONDS.sleep(settleSeconds);
    return new BrokerProcess(name, pid, address, seconds, ProcessUsage.of(pid).residentKilobytes());
  }

  static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static List<Path> files(Path directory, String name) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.endsWith(name)).toList();
    }
  }

  private static long pid(Path file) throws IOException {
    return Long.parseLong(Files.readString(file).trim().split("\\s+", -1)[0]);
  }

  /**
   * Cleans up after a failed start: stops the child processes of this tool, and all nodes that were
   * started in the directory, whether they are ready or not.
   */
  static void abandon(Path directory) throws IOException {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
    if (Files.isDirectory(directory)) {
      for (Path file : files(directory, LOCK_FILE)) {
        String pid = Files.readString(file).strip();
        if (isNodeBelow(directory, pid)) {
          stop(Long.parseLong(pid));
        }
      }
    }
  }

  /**
   * Returns whether the process is a node with data below the directory; false if the node has
   * exited and another process has its id.
   */
  private static boolean isNodeBelow(Path directory, String pid) {
    try {
      return Files.readString(Path.of("/proc", pid, "cmdline")).contains(directory.toString());
    } catch (IOException e) {
      return false;
    }
  }

  /** Stops the broker gracefully and waits until it has exited; kills it if it takes too long. */
  @Override
  public void close() {
    stop(pid);
  }

  private static void stop(long pid) {
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
