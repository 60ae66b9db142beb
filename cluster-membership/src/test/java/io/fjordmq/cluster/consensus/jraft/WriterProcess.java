package io.fjordmq.cluster.consensus.jraft;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.testing.Await;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;

/**
 * A process to be killed by a test: proposes ascending numbers and prints each one when it is
 * applied, which is when a broker would acknowledge it.
 */
public final class WriterProcess {
  static final NodeId SELF = new NodeId("writer");
  static final GroupId GROUP = new GroupId("numbers");
  private static final int IN_FLIGHT = 64;
  private static final int PADDING = 200;

  private WriterProcess() {}

  static JRaftHost open(Path directory) {
    JRaftHost host =
        JRaftHost.open(SELF, directory, ConsensusSettings.DEFAULT, ConsensusObserver.NONE);
    host.create(GROUP, ReplicaSet.ofVoters(SELF));
    return host;
  }

  public static long number(ByteBuffer data) {
    return data.getLong(data.position());
  }

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
    Semaphore permits = new Semaphore(IN_FLIGHT);
    NumbersState state =
        new NumbersState(
            number -> {
              out.println(number);
              out.flush();
              permits.release();
            });
    JRaftHost host = open(Path.of(args[0]));
    Consensus consensus = host.open(GROUP, state);
    Await.until("leads", () -> consensus.leadership().leading());
    for (long next = Long.parseLong(args[1]); ; next++) {
      permits.acquire();
      byte[] entry = ByteBuffer.allocate(8 + PADDING).putLong(next).array();
      consensus.propose(consensus.leadership().term(), entry, new NumbersState.OwnProposal());
    }
  }
}
