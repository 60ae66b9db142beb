package io.fjordmq.perf.users;

import java.io.IOException;

/** A user service in a process of its own, which can fail. */
public interface UserServer extends UserService {
  /** Kills its process, as a crash would end it. Blocks until it has ended. */
  void kill();

  /**
   * Starts it again with the same address and the same users. Blocks until it answers.
   *
   * @throws IOException if it does not start
   */
  void restart() throws IOException, InterruptedException;
}
