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
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server of an installed package as a process on a loopback port, with its files and log in a
 * directory of its own. If this process runs as root, the server runs as {@code nobody}, because
 * some servers refuse to run as root. Not thread-safe.
 */
public final class LocalServer implements AutoCloseable {
  private static final String UNPRIVILEGED = "nobody";

  /** Group of {@link #UNPRIVILEGED}, which does not have the same name on all systems. */
  private static final String GROUP_ID = "65534";

  private static final int READY_SECONDS = 60;
  private static final int READY_POLL_MILLIS = 50;
  private static final int STOP_SECONDS = 10;

  private final Path folder;
  private final int port;
  private final List<String> command;
  private Process process;

  private LocalServer(Path folder, int port, List<String> command) throws IOException {
    this.folder = folder;
    this.port = port;
    this.command = List.copyOf(command);
    this.process = launch(folder, command);
  }

  /** Creates a directory that the server can use, and lets all users traverse its parent. */
  public static Path folder(Path parent, String name) throws IOException {
    Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx--x--x"));
    return Files.createDirectories(parent.resolve(name));
  }

  /**
   * Starts a server. Blocks until it accepts connections, for at most a minute.
   *
   * @param folder its working directory, which then belongs to the user of the server
   * @throws IOException if it ends or does not listen; the message contains its log
   */
  public static LocalServer start(Path folder, int port, List<String> command)
      throws IOException, InterruptedException {
    LocalServer server = new LocalServer(folder, port, command);
    try {
      server.awaitReady();
      return server;
    } catch (IOException | InterruptedException | RuntimeException e) {
      server.kill();
      throw e;
    }
  }

  /**
   * Runs a program as the user of the server, in its directory. Blocks until the program ends.
   *
   * @throws IOException if it fails; the message contains the log
   */
  public static void run(Path folder, List<String> command)
      throws IOException, InterruptedException {
    if (launch(folder, command).waitFor() != 0) {
      throw new IOException("%s failed: %s".formatted(command.get(0), log(folder)));
    }
  }

  private static boolean isRoot() {
    return ProcessHandle.current().info().user().orElse("").equals("root");
  }

  /** Gives all files to the user of the server. */
  private static void own(Path folder) throws IOException {
    UserPrincipal user =
        folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(UNPRIVILEGED);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        Files.setOwner(file, user);
      }
    }
  }

  private static Process launch(Path folder, List<String> command) throws IOException {
    List<String> words = new ArrayList<>();
    if (isRoot()) {
      own(folder);
      words.addAll(
          List.of("setpriv", "--reuid=" + UNPRIVILEGED, "--regid=" + GROUP_ID, "--clear-groups"));
    }
    words.addAll(command);
    Process process =
        new ProcessBuilder(words)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
            .start();
    process.getOutputStream().close();
    return process;
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
          throw new IOException(command.get(0) + " exited: " + log(folder), e);
        }
      }
    }
    throw new IOException(
        "%s does not listen on port %d: %s".formatted(command.get(0), port, log(folder)));
  }

  private static String log(Path folder) throws IOException {
    return Files.readString(folder.resolve("log"), StandardCharsets.ISO_8859_1);
  }

  /**
   * Runs a client of a server, as the user of this process. Blocks.
   *
   * @param environment further environment variables
   * @param input its standard input, line by line
   * @return its output without leading and trailing white space
   * @throws IOException if it fails; the message contains the output
   */
  public static String client(
      List<String> command, Map<String, String> environment, Iterable<String> input)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process client = builder.start();
    CompletableFuture<String> reading = CompletableFuture.supplyAsync(() -> outputOf(client));
    IOException broken = write(client, input);
    String output = reading.join().strip();
    if (client.waitFor() != 0) {
      throw new IOException(command.get(0) + " failed: " + output, broken);
    }
    if (broken != null) {
      throw broken;
    }
    return output;
  }

  /** Returns why the input could not be written; null if it was. */
  private static @Nullable IOException write(Process client, Iterable<String> input) {
    try (OutputStream out = client.getOutputStream()) {
      for (String line : input) {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      }
      return null;
    } catch (IOException e) {
      return e; // the client has ended; its output says why
    }
  }

  private static String outputOf(Process client) {
    try {
      return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return port;
  }

  /** Returns its address, as HOST:PORT. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** Returns the ids of all its processes. */
  public LongStream pids() {
    return LongStream.concat(
        LongStream.of(process.pid()), process.descendants().mapToLong(ProcessHandle::pid));
  }

  /** Sends a signal to the server. */
  public void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** Ends the server with a signal. Blocks until it has ended. */
  public void stop(String signal) throws IOException, InterruptedException {
    signal(signal);
    process.waitFor();
  }

  /** Ends the server without letting it finish anything. Blocks until it has ended. */
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** Starts the server again, with the same port and files. Blocks until it accepts connections. */
  public void restart() throws IOException, InterruptedException {
    process = launch(folder, command);
    awaitReady();
  }

  /** Asks the server to end, and kills it if it takes too long. Blocks until it has ended. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kill();
  }
}
