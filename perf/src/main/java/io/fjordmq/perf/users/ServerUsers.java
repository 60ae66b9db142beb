package io.fjordmq.perf.users;

import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.perf.machine.RunDirectory;
import io.fjordmq.perf.machine.ServiceUsage;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Users in a server that the tool starts on this host, with a temporary directory of its own. The
 * server can fail and keeps its data across restarts.
 */
public final class ServerUsers implements UserService {
  private final RunDirectory directory;
  private final UserServer server;
  private final AtomicInteger starts = new AtomicInteger(1);

  /** Starts a server with its files in a directory. */
  interface Starter {
    UserServer start(Path directory) throws IOException, InterruptedException;
  }

  private ServerUsers(RunDirectory directory, UserServer server) {
    this.directory = directory;
    this.server = server;
  }

  static ServerUsers start(Starter starter, Iterable<UserAccount> accounts)
      throws IOException, InterruptedException {
    RunDirectory directory = RunDirectory.make();
    ServerUsers users;
    try {
      users = new ServerUsers(directory, starter.start(directory.path()));
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      directory.delete();
      throw e;
    }
    try {
      users.server.add(accounts);
      return users;
    } catch (IOException | InterruptedException | RuntimeException e) {
      users.close();
      throw e;
    }
  }

  @Override
  public String configuration() {
    return server.configuration();
  }

  @Override
  public Optional<ServiceUsage> usage() {
    try {
      long calls = server.calls();
      long cpuMicros = server.process().pids().map(ServerUsers::cpuMicros).sum();
      return Optional.of(new ServiceUsage(starts.get(), calls, OptionalLong.of(cpuMicros)));
    } catch (IOException e) {
      return Optional.empty(); // the server is down
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static long cpuMicros(long pid) {
    try {
      return ProcessUsage.of(pid).cpuMicros();
    } catch (UncheckedIOException e) {
      return 0; // it has just ended
    }
  }

  /** Kills the server, as a crash would end it. Blocks until it has ended. */
  public void kill() {
    server.process().kill();
  }

  /**
   * Starts the server again with the same address and the same users. Blocks until it responds.
   *
   * @throws IOException if it does not start
   */
  public void restart() throws IOException, InterruptedException {
    starts.incrementAndGet();
    server.process().restart();
    Await.until("the server of the users responds", () -> usage().isPresent());
  }

  /** Stops the server and deletes its directory. Blocks. */
  @Override
  public void close() {
    server.process().close();
    try {
      directory.delete();
    } catch (IOException e) {
      throw new UncheckedIOException("failed to delete " + directory.path(), e);
    }
  }
}
