package io.fjordmq.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Ports on the loopback address for nodes under test. They are below the ephemeral port range,
 * because the system could otherwise assign one to an outgoing connection while the node is not
 * listening on it.
 *
 * <p>Several processes can run tests at the same time. Each takes its ports from blocks that it
 * claims by keeping the first port of the block bound until it exits. A process never returns the
 * same port twice.
 */
public final class FreePorts {
  private static final int FIRST_PORT = 10_000;
  private static final int BLOCK_COUNT = 44;
  private static final int BLOCK_SIZE = 500;
  private static final FreePorts PORTS = new FreePorts();

  /** The sockets that claim the blocks of this process. */
  private final List<ServerSocket> claims = new ArrayList<>();

  private final int firstBlock = (int) (ProcessHandle.current().pid() % BLOCK_COUNT);
  private int triedBlocks;
  private int next;
  private int end;

  FreePorts() {}

  /** Returns a free port. */
  public static int one() {
    return PORTS.consecutive(1);
  }

  /** Returns a port whose successor is also free, because Raft uses the next port. */
  public static int forCluster() {
    return PORTS.consecutive(2);
  }

  synchronized int consecutive(int length) {
    while (true) {
      if (next + length > end) {
        claimBlock();
      }
      int first = next;
      next += length;
      if (isFree(first) && (length == 1 || isFree(first + 1))) {
        return first;
      }
    }
  }

  private void claimBlock() {
    while (triedBlocks < BLOCK_COUNT) {
      int first = FIRST_PORT + (firstBlock + triedBlocks++) % BLOCK_COUNT * BLOCK_SIZE;
      try {
        claims.add(bind(first));
        next = first + 1;
        end = first + BLOCK_SIZE;
        return;
      } catch (IOException taken) {
        // another process has claimed this block
      }
    }
    throw new IllegalStateException("no free block of ports from " + FIRST_PORT + " on");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = bind(port)) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }

  private static ServerSocket bind(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }
}
