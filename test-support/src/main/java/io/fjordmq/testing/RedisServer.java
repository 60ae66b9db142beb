package io.fjordmq.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * A Redis server on this host, with redis-cli as its client. It keeps its data in memory only,
 * unless it is told to save it. Not thread-safe.
 *
 * @param process the process of the server
 */
public record RedisServer(LocalServer process) implements AutoCloseable {
  private static final Path SERVER = Path.of("/usr/bin/redis-server");
  private static final Path CLIENT = Path.of("/usr/bin/redis-cli");

  /** Returns whether the server and its client are installed. */
  public static boolean isInstalled() {
    return Files.isExecutable(SERVER) && Files.isExecutable(CLIENT);
  }

  /**
   * Starts a server on a free port. Blocks until it accepts connections.
   *
   * @param parent directory in which it gets a directory of its own
   * @param options further options of the command line; {@code PORT} stands for the port
   */
  public static RedisServer start(Path parent, String... options)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    Path folder = LocalServer.folder(parent, "redis-" + port);
    boolean tls = List.of(options).contains("--tls-port");
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
    return new RedisServer(LocalServer.start(folder, port, command));
  }

  public int port() {
    return process.port();
  }

  /** Returns its address, as HOST:PORT. */
  public String address() {
    return process.address();
  }

  /** Runs a command, one argument per element, and returns the output. Blocks. */
  public String run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(CLIENT.toString(), "-p", "" + port()));
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
    LocalServer.client(
        List.of(CLIENT.toString(), "-p", "" + port(), "--pipe"),
        Map.of(),
        () ->
            StreamSupport.stream(commands.spliterator(), false)
                .map(RedisServer::request)
                .iterator());
  }

  /** Returns a command as an array of strings with their lengths, without the last line feed. */
  private static String request(List<String> command) {
    return command.stream()
        .map(word -> "$" + word.getBytes(StandardCharsets.UTF_8).length + "\r\n" + word + "\r")
        .collect(Collectors.joining("\n", "*" + command.size() + "\r\n", ""));
  }

  /** Runs redis-cli. */
  public static String cli(List<String> command) throws IOException, InterruptedException {
    return LocalServer.client(command, Map.of(), List.of());
  }

  /** Ends the process without letting it finish anything. Blocks until it has ended. */
  public void kill() {
    process.kill();
  }

  /** Starts the server again on the same port. Blocks until it accepts connections. */
  public void restart() throws IOException, InterruptedException {
    process.restart();
  }

  @Override
  public void close() {
    kill();
  }
}
