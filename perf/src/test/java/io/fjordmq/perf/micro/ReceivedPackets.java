package io.fjordmq.perf.micro;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts the packets that the broker sends to all clients of a benchmark, and lets the benchmark
 * wait for them. All clients are on one event loop.
 */
final class ReceivedPackets {
  private static final int CONNACK = 2;
  private static final int SUBACK = 9;
  private static final int DISCONNECT = 14;
  private static final int REFUSED = 0x80;
  private static final int TIMEOUT_SECONDS = 60;

  /** Set by the benchmark while nothing is in progress, otherwise used by the event loop only. */
  private long missingPackets;

  /** Released by the event loop when nothing is missing; also publishes its writes. */
  private final Semaphore completed = new Semaphore(0);

  private volatile @Nullable String fault;

  /** Announces packets; to be called before the broker is triggered to send them. */
  void expect(long packets) {
    missingPackets = packets;
  }

  /**
   * Returns when all have arrived.
   *
   * @throws IllegalStateException if they do not, or if the broker refused something
   */
  void await() throws InterruptedException {
    boolean all = completed.tryAcquire(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    String failure = fault;
    if (failure != null || !all) {
      throw new IllegalStateException(
          failure != null ? failure : missingPackets + " packets are missing after a minute");
    }
  }

  /** Counts complete packets that the broker has written. Call on the event loop only. */
  void count(ByteBuf written) {
    int at = written.readerIndex();
    int packets = 0;
    while (at < written.writerIndex()) {
      int begin = at++;
      int length = 0;
      int shift = 0;
      byte digit;
      do {
        digit = written.getByte(at++);
        length |= (digit & 0x7F) << shift;
        shift += 7;
      } while (digit < 0);
      countPacket(written, begin, at, length);
      at += length;
      packets++;
    }
    missingPackets -= packets;
    if (missingPackets == 0) {
      completed.release();
    } else if (missingPackets < 0) {
      fail("a client received " + -missingPackets + " unexpected packets");
    }
  }

  private void countPacket(ByteBuf written, int begin, int body, int length) {
    switch (written.getUnsignedByte(begin) >> 4) {
      case CONNACK -> {
        int code = written.getUnsignedByte(body + 1);
        if (code != 0) {
          fail("a client was refused with code " + code);
        }
      }
      case SUBACK -> {
        int code = written.getUnsignedByte(body + length - 1);
        if (code >= REFUSED) {
          fail("a subscription was refused with code " + code);
        }
      }
      case DISCONNECT -> fail("a client was disconnected");
      default -> {
        // expected
      }
    }
  }

  private void fail(String reason) {
    if (fault == null) {
      fault = reason;
    }
    completed.release();
  }
}
