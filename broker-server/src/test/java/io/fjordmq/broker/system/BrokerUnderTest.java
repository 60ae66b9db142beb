package io.fjordmq.broker.system;

import io.fjordmq.testing.Await;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A broker process started from the classes under test, on loopback ports of its own, with its data
 * below one directory.
 */
final class BrokerUnderTest implements AutoCloseable {
  private static final long START_SECONDS = 60;
  private static final long STOP_SECONDS = 30;
  private static final long COMMAND_SECONDS = 120;

  private final Path directory;
  private final NodeFile file;
  private final AtomicInteger commands = new AtomicInteger();
  private List<String> wrapper;
  private @Nullable Path moreClasses;
  private Process process;
  private int starts;

  /** Starts a first node and waits until it accepts connections. */
  static BrokerUnderTest startIn(Path directory) {
    return startIn(directory, "", List.of());
  }

  /**
   * The same with more sections in its configuration, and its command given to another one that
   * runs it, to limit what it may use.
   */
  static BrokerUnderTest startIn(Path directory, String configuration, List<String> wrapper) {
    BrokerUnderTest broker =
        new BrokerUnderTest(directory, NodeFile.standalone(configuration), wrapper);
    try {
      broker.awaitListening();
      return broker;
    } catch (RuntimeException e) {
      broker.close();
      throw e;
    }
  }

  /** Starts a node with this file without waiting for it. */
  static BrokerUnderTest launchIn(Path directory, NodeFile file) {
    return new BrokerUnderTest(directory, file, List.of());
  }

  private BrokerUnderTest(Path directory, NodeFile file, List<String> wrapper) {
    this.directory = directory;
    this.file = file;
    this.wrapper = wrapper;
    this.process = launch();
  }

  NodeFile file() {
    return file;
  }

  int port() {
    return file.mqtt();
  }

  int clusterPort() {
    return file.cluster();
  }

  int httpPort() {
    return file.http();
  }

  SharedBroker.Port mqtt() {
    return new SharedBroker.Port(file.mqtt());
  }

  /** The current content of {@code /metrics}. */
  Scrape scrape() {
    return Scrape.of(file.http());
  }

  /** The directory of data and logs. */
  Path nodeDirectory() {
    return directory.resolve("node");
  }

  long pid() {
    return process.pid();
  }

  /** Sends SIGKILL: nothing is flushed, and no client receives a DISCONNECT. */
  void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  /** SIGTERM, and waits for the exit; returns its code. */
  int stop() {
    process.destroy();
    return awaitExit();
  }

  /** SIGTERM, without waiting for the exit. */
  void requestStop() {
    process.destroy();
  }

  /** As {@code standalone.sh stop --drain} does it; waits for the exit and returns its code. */
  int drain() {
    try {
      Files.writeString(nodeDirectory().resolve("data/drain"), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return stop();
  }

  /** Starts again on the same data and ports. */
  void restart() {
    relaunch();
    awaitListening();
  }

  /** The same without waiting. */
  void relaunch() {
    process = launch();
  }

  /**
   * What it answers to a command, asked as {@code bin/standalone.sh} asks: first a line with the
   * exit code. It does one after the other.
   */
  String command(String words) {
    Await.until("readiness for commands", START_SECONDS, this::isReady);
    Path folder = nodeDirectory().resolve("data/control");
    String name = "test-" + commands.incrementAndGet();
    Path response = folder.resolve(name + ".response");
    try {
      Path request = folder.resolve(name + ".new");
      Files.writeString(request, words + "\n");
      Files.move(request, folder.resolve(name + ".request"));
      Await.until("a response to " + words, COMMAND_SECONDS, () -> Files.exists(response));
      String text = Files.readString(response);
      Files.delete(response);
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The process listens a little earlier, but then still deletes requests to an earlier one. */
  private boolean isReady() {
    return output(starts).contains("FjordMQ is ready");
  }

  boolean isRunning() {
    return process.isAlive();
  }

  /** Waits for it to end by itself; returns its exit code. */
  int awaitEnd() {
    return awaitExit();
  }

  /** The same for a node that takes longer. */
  int awaitEnd(long seconds) {
    Await.until("the end of the process", seconds, () -> !process.isAlive());
    return awaitExit();
  }

  /** The same without the limiting wrapper. */
  void restartUnlimited() {
    wrapper = List.of();
    restart();
  }

  /**
   * Uses other classes from the next start on.
   *
   * @param folder a directory of classes and services at the end of the class path; null for none
   */
  void setMoreClasses(@Nullable Path folder) {
    moreClasses = folder;
  }

  /** Everything the process has printed since it was first started. */
  String output() {
    StringBuilder all = new StringBuilder();
    for (int start = 1; start <= starts; start++) {
      all.append(output(start));
    }
    return all.toString();
  }

  /** Everything the process has printed since its last start. */
  String lastOutput() {
    return output(starts);
  }

  private String output(int start) {
    try {
      // Not readString(): the process may have written only part of a character.
      byte[] printed = Files.readAllBytes(directory.resolve("output-" + start + ".log"));
      return new String(printed, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
      Files.writeString(config, file.text());
      return new BrokerCommand(wrapper, "INFO", config, List.of(nodeDirectory()))
          .start(directory.resolve("output-" + starts + ".log"), Map.of(), classes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> classes() {
    List<String> options = new ArrayList<>(SharedClasses.options());
    if (moreClasses != null) {
      int path = options.size() - 1;
      options.set(path, options.get(path) + File.pathSeparator + moreClasses);
    }
    return options;
  }

  /**
   * Waits until it accepts connections. Its log says so: a connection to its port may be accepted
   * by another process that looks for free ports while the node is not yet listening.
   */
  void awaitListening() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() < deadline) {
      if (!process.isAlive()) {
        throw new IllegalStateException("the broker exited during startup:\n" + output());
      }
      if (isReady()) {
        return;
      }
      Await.pause();
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
}
