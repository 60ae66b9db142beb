package io.fjordmq.auth;

import io.fjordmq.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A server of a Debian package as a process on the loopback address. Runs as an unprivileged user,
 * because some of these servers refuse to run as root.
 */
public final class LocalServer implements AutoCloseable {
  private static final String UNPRIVILEGED = "nobody";

  private final Path folder;
  private final List<String> command;
  private final int port;
  private Process process;

  private LocalServer(Path folder, List<String> command, int port) throws IOException {
    this.folder = folder;
    this.command = command;
    this.port = port;
    this.process = launch(folder, command);
  }

  /** Starts a server and waits until it accepts connections. */
  public static LocalServer start(Path folder, int port, List<String> command) throws Exception {
    own(folder);
    LocalServer server = new LocalServer(folder, command, port);
    server.awaitReady();
    return server;
  }

  /** Skips the test if a program is not installed. */
  public static void assumeInstalled(Path program, String debianPackage) {
    Assumptions.assumeTrue(
        Files.isExecutable(program),
        program + " is not installed; bin/test.sh installs the package " + debianPackage);
  }

  /** Creates a folder that the server can use. */
  public static Path folder(Path parent, String name) throws IOException {
    Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx--x--x"));
    return Files.createDirectories(parent.resolve(name));
  }

  /** Returns a free port. */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Runs a program as the user of the server until it ends. */
  public static void run(Path folder, List<String> command) throws Exception {
    own(folder);
    Process process = launch(folder, command);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(command + ": " + Files.readString(folder.resolve("log")));
    }
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  /** Gives all files to the user of the server. */
  private static void own(Path folder) throws IOException {
    if (!isRoot()) {
      return;
    }
    UserPrincipal user =
        folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(UNPRIVILEGED);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        Files.setOwner(file, user);
      }
    }
  }

  private static Process launch(Path folder, List<String> command) throws IOException {
    List<String> all = new ArrayList<>();
    if (isRoot()) {
      all.addAll(
          List.of("setpriv", "--reuid=" + UNPRIVILEGED, "--regid=nogroup", "--clear-groups"));
    }
    all.addAll(command);
    Process process =
        new ProcessBuilder(all)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
            .start();
    process.getOutputStream().close();
    return process;
  }

  private void awaitReady() throws IOException {
    Await.until(
        () -> command.get(0) + " does not listen on port " + port + ": " + log(),
        () -> accepts() || !process.isAlive());
    if (!process.isAlive()) {
      throw new IOException(command.get(0) + " has ended: " + log());
    }
  }

  private boolean accepts() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("log"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return e.toString();
    }
  }

  public int port() {
    return port;
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  /** Sends a signal to the server. */
  public void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** Ends the server with a signal. */
  public void stop(String signal) throws Exception {
    signal(signal);
    process.waitFor();
  }

  /** Starts the server again, with the same port and data. */
  public void restart() throws Exception {
    process = launch(folder, command);
    awaitReady();
  }

  @Override
  public void close() throws Exception {
    process.destroyForcibly().waitFor();
  }
}
