package io.fjordmq.broker.http;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The body of a response: the beginning of an array, which can be reused once the body has been
 * sent. A body that is not sent is left to the garbage collector.
 */
public final class ReplyBody {
  private final byte[] array;
  private final int length;
  private final Consumer<byte[]> onSent;

  /**
   * @param array must not be modified until it is passed to {@code onSent}
   * @param onSent gets the array on any thread, at most once
   */
  public ReplyBody(byte[] array, int length, Consumer<byte[]> onSent) {
    this.array = array;
    this.length = length;
    this.onSent = onSent;
  }

  /** Returns a body whose array is not reused, and which can be sent several times. */
  static ReplyBody of(byte[] bytes) {
    return new ReplyBody(bytes, bytes.length, array -> {});
  }

  /** The length in bytes. */
  public int length() {
    return length;
  }

  /** Returns the bytes, which must not be modified. */
  public byte[] bytes() {
    return array.length == length ? array : Arrays.copyOf(array, length);
  }

  ByteBuffer buffer() {
    return ByteBuffer.wrap(array, 0, length);
  }

  /** The body has been sent, or its client has gone. */
  void onSent() {
    onSent.accept(array);
  }
}
