package io.fjordmq.broker.rest;

import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The arrays into which responses are written. They are reused, because those of long lists would
 * otherwise be most of the garbage, and garbage collections delay messages. Keeps at most 512 KiB.
 * Thread-safe.
 */
final class ResponseBuffers {
  private static final int MAX_KEPT = 4;
  private static final int MAX_KEPT_BYTES = 128 << 10;
  private static final int MIN_BYTES = 4 << 10;

  private final ArrayBlockingQueue<byte[]> kept = new ArrayBlockingQueue<>(MAX_KEPT);

  /** Begins a response. */
  Output open() {
    byte @Nullable [] array = kept.poll();
    return new Output(array == null ? new byte[MIN_BYTES] : array);
  }

  /** Keeps the array of a response that has been sent for further responses. */
  void reuse(byte[] array) {
    if (array.length <= MAX_KEPT_BYTES) {
      kept.offer(array);
    }
  }

  /** A response, which grows with its content. Not thread-safe. */
  static final class Output extends OutputStream {
    private byte[] array;
    private int length;

    private Output(byte[] array) {
      this.array = array;
    }

    @Override
    public void write(int value) {
      require(1);
      array[length++] = (byte) value;
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
      require(count);
      System.arraycopy(bytes, from, array, length, count);
      length += count;
    }

    private void require(int count) {
      if (count > array.length - length) {
        int doubled = (int) Math.min(Integer.MAX_VALUE - 8L, 2L * array.length);
        array = Arrays.copyOf(array, Math.max(doubled, Math.addExact(length, count)));
      }
    }

    /** The array, whose beginning is the response. */
    byte[] array() {
      return array;
    }

    int length() {
      return length;
    }
  }
}
