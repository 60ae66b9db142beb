package io.fjordmq.broker.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A broker process started from the classes under test, on loopback ports of its own, with its data
 * below one folder.
 */
final class BrokerUnderTest implements AutoCloseable {
  private static final long START_SECONDS = 60;
  private static final long STOP_SECONDS = 30;

  private final Path directory;
  private final int mqttPort = freePort();
  private final int httpPort = freePort();
  private final int clusterPort = freePort();
  private Process process;
  private int starts;

  /** Starts a first node and waits until it accepts connections. */
  static BrokerUnderTest startIn(Path directory) {
    return new BrokerUnderTest(directory);
  }

  private BrokerUnderTest(Path directory) {
    this.directory = directory;
    this.process = launch();
    awaitListening();
  }

  int port() {
    return mqttPort;
  }

  int httpPort() {
    return httpPort;
  }

  long pid() {
    return process.pid();
  }

  /** SIGKILL: nothing is flushed, nobody is told. */
  void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  /** SIGTERM, and waits for the exit; returns its code. */
  int stop() {
    process.destroy();
    return awaitExit();
  }

  /** Starts again on the same data and ports. */
  void restart() {
    process = launch();
    awaitListening();
  }

  /** Everything the process has printed since it was first started. */
  String output() {
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= starts; i++) {
      try {
        all.append(Files.readString(directory.resolve("output-" + i + ".log")));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return all.toString();
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      stop();
    }
  }

  private Process launch() {
    starts++;
    try {
      Path config = directory.resolve("standalone.yml");
      Files.createDirectories(directory);
      Files.writeString(
          config,
          """
          bootstrap: true
          mqttServerConfig:
            tcpListener:
              host: 127.0.0.1
              port: %d
          httpConfig:
            host: 127.0.0.1
            port: %d
          clusterConfig:
            env: Test
            host: 127.0.0.1
            port: %d
          """
              .formatted(mqttPort, httpPort, clusterPort));
      return new ProcessBuilder(command(config))
          .redirectErrorStream(true)
          .redirectOutput(directory.resolve("output-" + starts + ".log").toFile())
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> command(Path config) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-ea"));
    command.add("-Dcom.google.protobuf.use_unsafe_pre22_gencode=true");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("io.fjordmq.broker.Main", "-c", config.toString()));
    command.addAll(List.of("-d", directory.resolve("node").toString()));
    return command;
  }

  private void awaitListening() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() < deadline) {
      if (!process.isAlive()) {
        throw new IllegalStateException("the broker ended at start:\n" + output());
      }
      try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), mqttPort)) {
        return;
      } catch (IOException e) {
        Waiting.pause();
      }
    }
    throw new IllegalStateException("not listening after " + START_SECONDS + " s:\n" + output());
  }

  private int awaitExit() {
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("still running after " + STOP_SECONDS + " s:\n" + output());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
