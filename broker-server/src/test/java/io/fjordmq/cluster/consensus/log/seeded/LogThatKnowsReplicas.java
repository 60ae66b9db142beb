package io.fjordmq.cluster.consensus.log.seeded;

import io.fjordmq.cluster.consensus.jraft.JRaftHost;

/** A part of the log that uses a replica. */
public final class LogThatKnowsReplicas {
  private LogThatKnowsReplicas() {}

  /** Closes the adapter. */
  public static void close(JRaftHost host) {
    host.close();
  }
}
