package io.fjordmq.perf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for brokers under load, on the loopback address, below the range of ephemeral ports: an
 * outgoing connection could otherwise occupy the port of a node that is not running. A process
 * never returns a port twice, and processes start at different ports.
 */
public final class FreePorts {
  private static final int FIRST = 10_000;
  private static final int COUNT = 22_000;
  private static final int STRIDE = 211; // prime: consecutive pids start far apart
  private static final AtomicInteger GIVEN =
      new AtomicInteger((int) (ProcessHandle.current().pid() * STRIDE % COUNT));

  private FreePorts() {}

  public static int one() {
    return inARow(1);
  }

  /** A port whose successor is free as well, for Raft. */
  public static int forCluster() {
    return inARow(2);
  }

  private static int inARow(int length) {
    for (int tries = 0; tries < COUNT; tries += length) {
      int first = FIRST + Math.floorMod(GIVEN.getAndAdd(length), COUNT - length);
      if (isFree(first) && (length == 1 || isFree(first + 1))) {
        return first;
      }
    }
    throw new IllegalStateException("no free port from " + FIRST + " on");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
