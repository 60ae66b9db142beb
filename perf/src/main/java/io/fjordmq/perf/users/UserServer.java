package io.fjordmq.perf.users;

import io.fjordmq.testing.LocalServer;
import java.io.IOException;

/** A server on this host that can hold users, and that the broker can query. */
interface UserServer {
  /** Its process. */
  LocalServer process();

  /** Adds users. Blocks. Called once. */
  void add(Iterable<UserAccount> accounts) throws IOException, InterruptedException;

  /** Returns the provider of the broker, as YAML, as in {@link UserService#configuration}. */
  String configuration();

  /**
   * Returns the number of requests of the broker since the server started. Blocks.
   *
   * @throws IOException if the server does not respond
   */
  long calls() throws IOException, InterruptedException;
}
