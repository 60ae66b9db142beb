package io.fjordmq.broker.simulation;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerServices;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * An injected defect: the receiving end of streams treats repeated items as new. It shows
 * consecutive numbers to the real receiver behind it.
 */
final class ForgetfulReceiver implements PeerServices.Handler {
  static final String SERVICE = "deliveries";

  /* u8 version, u64 sender incarnation, u64 receiver incarnation, u64 number, count of items */
  private static final int INCARNATIONS = 1;
  private static final int NUMBER = 17;
  private static final int COUNT = 25;

  private final PeerServices.Handler real;
  private final Map<NodeId, Stream> streams = new HashMap<>();

  private static final class Stream {
    byte[] incarnations = new byte[0];
    long last;
    long shift;
  }

  ForgetfulReceiver(PeerServices.Handler real) {
    this.real = real;
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    ByteBuffer batch = ByteBuffer.wrap(request.clone());
    byte[] lives = new byte[NUMBER - INCARNATIONS];
    batch.get(INCARNATIONS, lives);
    Stream stream = streams.computeIfAbsent(from, node -> new Stream());
    if (!Arrays.equals(lives, stream.incarnations)) {
      stream.incarnations = lives;
      stream.last = 0;
      stream.shift = 0;
    }
    long number = batch.getLong(NUMBER);
    long shift = stream.shift;
    if (number == stream.last) {
      shift += batch.get(COUNT); // below 128 it is one byte
    }
    batch.putLong(NUMBER, number + shift);
    CompletableFuture<byte[]> answer = real.handle(from, batch.array());
    if (!answer.isCompletedExceptionally()) { // otherwise it was refused and will be resent
      stream.shift = shift;
      stream.last = number;
    }
    return answer;
  }
}
