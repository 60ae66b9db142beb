package io.fjordmq.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * An S3 server on a loopback port, of the Python package moto. It keeps objects in memory. Not
 * thread-safe.
 */
public final class MotoServer implements AutoCloseable {
  private static final String PACKAGE = "moto[server]==5.2.5";
  private static final int INSTALL_SECONDS = 300;
  private static final int READY_SECONDS = 120;

  private final int port;
  private final Path log;
  private final Process process;

  private MotoServer(int port, Path log, Process process) {
    this.port = port;
    this.log = log;
    this.process = process;
  }

  /**
   * Installs the package in a Python environment below a directory, unless it is there already.
   *
   * @return the program; empty if it cannot be installed, for example without a network
   */
  public static Optional<Path> install(Path parent) throws IOException, InterruptedException {
    Path environment = parent.resolve("moto");
    Path program = environment.resolve("bin/moto_server");
    Path complete = environment.resolve("complete");
    if (Files.exists(complete)) {
      return Optional.of(program);
    }
    Files.createDirectories(parent);
    Path lockFile = parent.resolve("moto.lock");
    try (FileChannel lock =
        FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      lock.lock(); // test classes run in several processes
      if (Files.exists(complete)) {
        return Optional.of(program);
      }
      String pip = environment.resolve("bin/pip").toString();
      boolean isInstalled =
          succeeds(parent, "python3", "-m", "venv", environment.toString())
              && succeeds(parent, pip, "install", "-q", "--disable-pip-version-check", PACKAGE);
      if (!isInstalled) {
        return Optional.empty();
      }
      Files.createFile(complete);
      return Optional.of(program);
    }
  }

  private static boolean succeeds(Path folder, String... command)
      throws IOException, InterruptedException {
    Process process;
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("moto-install.log").toFile())
              .start();
    } catch (IOException e) {
      return false; // no Python
    }
    if (!process.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      return false;
    }
    return process.exitValue() == 0;
  }

  /**
   * Starts a server. Blocks until it accepts connections.
   *
   * @param folder for its log
   * @param environment further environment variables
   */
  public static MotoServer start(Path program, Path folder, Map<String, String> environment)
      throws IOException {
    int port = FreePorts.one();
    Path log = folder.resolve("moto-" + port + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(program.toString(), "-H", "127.0.0.1", "-p", Integer.toString(port))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    MotoServer server = new MotoServer(port, log, builder.start());
    try {
      Await.until(server::state, READY_SECONDS, server::isListening);
      return server;
    } catch (RuntimeException | Error e) {
      server.close();
      throw e;
    }
  }

  private String state() {
    try {
      return "an S3 server that listens: " + Files.readString(log);
    } catch (IOException e) {
      return "an S3 server that listens: " + e;
    }
  }

  private boolean isListening() {
    if (!process.isAlive()) {
      throw new IllegalStateException(state());
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Returns the URL that clients use as their endpoint. */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Ends the process. Blocks until it has ended. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
