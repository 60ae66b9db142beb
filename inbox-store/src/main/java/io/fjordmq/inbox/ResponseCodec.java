package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The response to a command or query from a connection. Its first byte tells whether the handle was
 * valid.
 */
public final class ResponseCodec {
  /*
   *   1  0 done, 1 fenced
   *   .. result of the command
   */
  private static final int DONE_BYTE = 0;
  private static final int FENCED_BYTE = 1;

  private static final byte[] DONE = {DONE_BYTE};
  private static final byte[] FENCED = {FENCED_BYTE};

  private ResponseCodec() {}

  static byte[] done() {
    return DONE.clone();
  }

  static byte[] fenced() {
    return FENCED.clone();
  }

  public static byte[] of(boolean value) {
    return new byte[] {DONE_BYTE, (byte) (value ? 1 : 0)};
  }

  /** Returns a writer that already contains the first byte. */
  static ByteWriter newWriter(int expectedBytes) {
    return new ByteWriter(expectedBytes).writeByte(DONE_BYTE);
  }

  /**
   * Reads the first byte.
   *
   * @throws InboxFencedException if the handle was fenced
   */
  public static ByteReader check(byte[] response, InboxHandle handle) {
    ByteReader in = new ByteReader(response);
    if (in.readByte() == FENCED_BYTE) {
      throw new InboxFencedException(handle);
    }
    return in;
  }
}
