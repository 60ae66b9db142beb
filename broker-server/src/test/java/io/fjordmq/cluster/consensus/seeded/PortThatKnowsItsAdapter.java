package io.fjordmq.cluster.consensus.seeded;

import io.fjordmq.cluster.consensus.jraft.JRaftHost;

/** A part of the port that uses what implements it. */
public final class PortThatKnowsItsAdapter {
  private PortThatKnowsItsAdapter() {}

  /** Closes the adapter. */
  public static void close(JRaftHost host) {
    host.close();
  }
}
