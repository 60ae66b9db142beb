package io.fjordmq.perf.load;

import io.fjordmq.perf.scenario.Scenario;
import io.netty.buffer.ByteBuf;

/**
 * The payload of a message: i64 scheduled send time ({@code System.nanoTime()} of this process),
 * i32 run, i32 publisher, i32 number of the publisher's message, from 0; then zeros.
 *
 * @param bytes size of the whole payload
 * @param run distinguishes the messages of different runs
 */
record Payload(int bytes, int run) {
  private static final int HEAD_BYTES = Scenario.MIN_PAYLOAD_BYTES;

  void write(ByteBuf out, long intendedNanos, int publisher, int number) {
    out.writeLong(intendedNanos).writeInt(run).writeInt(publisher).writeInt(number);
    out.writeZero(bytes - HEAD_BYTES);
  }

  /**
   * Returns whether the payload belongs to this run. The buffer is positioned at the payload, and
   * its position does not change.
   */
  boolean isOfThisRun(ByteBuf payload) {
    return payload.readableBytes() == bytes
        && payload.getInt(payload.readerIndex() + Long.BYTES) == run;
  }

  static long intendedNanos(ByteBuf payload) {
    return payload.getLong(payload.readerIndex());
  }

  static int publisher(ByteBuf payload) {
    return payload.getInt(payload.readerIndex() + Long.BYTES + Integer.BYTES);
  }

  static int number(ByteBuf payload) {
    return payload.getInt(payload.readerIndex() + Long.BYTES + 2 * Integer.BYTES);
  }
}
