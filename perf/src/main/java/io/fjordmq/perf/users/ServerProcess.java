package io.fjordmq.perf.users;

import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.perf.machine.UnprivilegedDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * A server of an installed package as a process on a loopback port, in a directory of its own. If
 * the tool runs as root, the server does not.
 */
final class ServerProcess implements AutoCloseable {
  private static final int READY_SECONDS = 60;
  private static final int READY_POLL_MILLIS = 50;
  private static final int STOP_SECONDS = 10;
  private static final String LOG = "log";

  private final UnprivilegedDirectory folder;
  private final Process process;

  private ServerProcess(UnprivilegedDirectory folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  /**
   * Starts a server. Blocks until it accepts connections. Its log is in the directory, which {@link
   * #close} deletes.
   */
  static ServerProcess start(UnprivilegedDirectory folder, int port, List<String> command)
      throws IOException, InterruptedException {
    ServerProcess server = new ServerProcess(folder, launch(folder, command));
    try {
      server.awaitReady(port, command.get(0));
      return server;
    } catch (IOException | InterruptedException | RuntimeException e) {
      server.stop();
      throw e;
    }
  }

  /**
   * Runs a program as the user of the server, in its directory. Blocks until the program ends.
   *
   * @throws IOException if it fails
   */
  static void run(UnprivilegedDirectory folder, List<String> command)
      throws IOException, InterruptedException {
    if (launch(folder, command).waitFor() != 0) {
      throw new IOException("%s failed: %s".formatted(command.get(0), log(folder)));
    }
  }

  private static Process launch(UnprivilegedDirectory folder, List<String> command)
      throws IOException {
    Process process =
        new ProcessBuilder(folder.wrap(command))
            .directory(folder.path().toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.path().resolve(LOG).toFile()))
            .start();
    process.getOutputStream().close();
    return process;
  }

  private void awaitReady(int port, String program) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    while (System.nanoTime() - end < 0) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        if (socket.isConnected()) {
          return;
        }
      } catch (ConnectException e) {
        if (process.waitFor(READY_POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          throw new IOException(program + " exited: " + log(folder), e);
        }
      }
    }
    throw new IOException("%s does not listen on port %d".formatted(program, port));
  }

  private static String log(UnprivilegedDirectory folder) throws IOException {
    Path log = folder.path().resolve(LOG);
    return new String(Files.readAllBytes(log), StandardCharsets.ISO_8859_1);
  }

  /**
   * Runs a client of the server. Blocks.
   *
   * @param environment further environment variables
   * @param input its standard input, line by line
   * @return its output without the last line break
   * @throws IOException if it fails
   */
  static String client(
      List<String> command, Map<String, String> environment, Iterable<String> input)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process client = builder.start();
    CompletableFuture<byte[]> reading =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return client.getInputStream().readAllBytes();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    IOException broken = null;
    try (OutputStream out = client.getOutputStream()) {
      for (String line : input) {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      broken = e; // the client has ended; its output says why
    }
    String output = new String(reading.join(), StandardCharsets.UTF_8).strip();
    if (client.waitFor() != 0) {
      throw new IOException(command.get(0) + " failed: " + output, broken);
    }
    if (broken != null) {
      throw broken;
    }
    return output;
  }

  /** Returns the CPU time of all its processes, in microseconds. */
  long cpuMicros() {
    return LongStream.concat(
            LongStream.of(process.pid()), process.descendants().mapToLong(ProcessHandle::pid))
        .map(ServerProcess::cpuMicros)
        .sum();
  }

  private static long cpuMicros(long pid) {
    try {
      return ProcessUsage.of(pid).cpuMicros();
    } catch (UncheckedIOException e) {
      return 0; // it has just ended
    }
  }

  /** Stops the server and deletes its directory. Blocks. */
  @Override
  public void close() {
    stop();
    folder.close();
  }

  private void stop() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().onExit().join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly().onExit().join();
    }
  }
}
