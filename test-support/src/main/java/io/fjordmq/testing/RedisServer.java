package io.fjordmq.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A Redis server as a process on a loopback port, with redis-cli as its client. It keeps its data
 * in memory only. Not thread-safe.
 */
public final class RedisServer implements AutoCloseable {
  private static final Path SERVER = Path.of("/usr/bin/redis-server");
  private static final Path CLIENT = Path.of("/usr/bin/redis-cli");
  private static final int READY_SECONDS = 20;
  private static final int READY_POLL_MILLIS = 50;

  private final Path folder;
  private final int port;
  private final List<String> options;
  private final UnaryOperator<List<String>> wrapper;
  private Process process;

  private RedisServer(
      Path folder, int port, List<String> options, UnaryOperator<List<String>> wrapper)
      throws IOException {
    this.folder = folder;
    this.port = port;
    this.options = options;
    this.wrapper = wrapper;
    this.process = launch();
  }

  /** Returns whether the server and its client are installed. */
  public static boolean isInstalled() {
    return Files.isExecutable(SERVER) && Files.isExecutable(CLIENT);
  }

  /** Starts a server on a free port. Blocks until it accepts connections. */
  public static RedisServer start(Path parent, String... options)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    Path folder = Files.createDirectories(parent.resolve("redis-" + port));
    return start(folder, port, List.of(options), UnaryOperator.identity());
  }

  /**
   * Starts a server on a given port. Blocks until it accepts connections.
   *
   * @param folder its working directory and log
   * @param options further options of the command line; {@code PORT} stands for the port
   * @param wrapper modifies the start command, for example to start as another user; the process
   *     must keep its id
   */
  public static RedisServer start(
      Path folder, int port, List<String> options, UnaryOperator<List<String>> wrapper)
      throws IOException, InterruptedException {
    RedisServer server = new RedisServer(folder, port, options, wrapper);
    try {
      server.awaitReady();
      return server;
    } catch (IOException | InterruptedException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private Process launch() throws IOException {
    boolean tls = options.contains("--tls-port");
    List<String> command =
        new ArrayList<>(
            List.of(
                SERVER.toString(),
                "--port",
                tls ? "0" : Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                folder.toString()));
    for (String option : options) {
      command.add(option.equals("PORT") ? Integer.toString(port) : option);
    }
    return new ProcessBuilder(wrapper.apply(command))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
        .start();
  }

  private void awaitReady() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    while (System.nanoTime() - end < 0) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        if (socket.isConnected()) {
          return;
        }
      } catch (ConnectException e) {
        if (process.waitFor(READY_POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          throw new IOException(
              "redis-server exited: " + Files.readString(folder.resolve("log")), e);
        }
      }
    }
    throw new IOException("redis-server does not listen on port " + port);
  }

  public int port() {
    return port;
  }

  /** Returns its address, as HOST:PORT. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Runs a command, one argument per element, and returns the output. Blocks. */
  public String run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(CLIENT.toString(), "-p", "" + port));
    command.addAll(List.of(arguments));
    return cli(command);
  }

  /**
   * Runs many commands, pipelined. Blocks.
   *
   * @param commands one argument per element
   * @throws IOException if Redis refuses one of them
   */
  public void runAll(Iterable<List<String>> commands) throws IOException, InterruptedException {
    cli(List.of(CLIENT.toString(), "-p", "" + port, "--pipe"), commands);
  }

  /** Runs redis-cli. */
  public static String cli(List<String> command) throws IOException, InterruptedException {
    return cli(command, List.of());
  }

  private static String cli(List<String> command, Iterable<List<String>> input)
      throws IOException, InterruptedException {
    Process cli = new ProcessBuilder(command).redirectErrorStream(true).start();
    CompletableFuture<byte[]> reading = CompletableFuture.supplyAsync(() -> outputOf(cli));
    try (OutputStream out = cli.getOutputStream()) {
      for (List<String> one : input) {
        write(out, one);
      }
    }
    String output = new String(reading.join(), StandardCharsets.UTF_8);
    if (cli.waitFor() != 0) {
      throw new IOException(command + ": " + output);
    }
    return output.strip();
  }

  private static byte[] outputOf(Process cli) {
    try {
      return cli.getInputStream().readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a command as an array of strings with their lengths. */
  private static void write(OutputStream out, List<String> command) throws IOException {
    out.write(("*" + command.size() + "\r\n").getBytes(StandardCharsets.UTF_8));
    for (String argument : command) {
      byte[] bytes = argument.getBytes(StandardCharsets.UTF_8);
      out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
      out.write(bytes);
      out.write('\r');
      out.write('\n');
    }
  }

  /** Ends the process without letting it finish anything. Blocks until it has ended. */
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  /**
   * Starts the server again on the same port, without its data. Blocks until it accepts
   * connections.
   */
  public void restart() throws IOException, InterruptedException {
    process = launch();
    awaitReady();
  }

  @Override
  public void close() {
    kill();
  }
}
