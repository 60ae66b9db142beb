package io.fjordmq.perf.load;

import io.fjordmq.perf.scenario.Scenario;
import io.netty.buffer.ByteBuf;

/**
 * What a message of the load carries: i64 the intended time of sending ({@code System.nanoTime()}
 * of this process), i32 the run, i32 its publisher, i32 its number there from 0; then zeros.
 *
 * @param bytes of the whole payload
 * @param run so that what another run has left behind is not taken for this one's
 */
record Payload(int bytes, int run) {
  private static final int HEAD_BYTES = Scenario.LEAST_PAYLOAD_BYTES;

  void write(ByteBuf out, long intendedNanos, int publisher, int number) {
    out.writeLong(intendedNanos).writeInt(run).writeInt(publisher).writeInt(number);
    out.writeZero(bytes - HEAD_BYTES);
  }

  /** Whether it is of this run; the buffer stands at its beginning and stays there. */
  boolean isOurs(ByteBuf payload) {
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
