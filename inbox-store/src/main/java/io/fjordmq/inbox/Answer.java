package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/** What a command or query of a connection answers: one byte that says whether it had the right. */
final class Answer {
  /*
   *   1  0 done, 1 fenced
   *   .. what the command says about itself
   */
  private static final int DONE_BYTE = 0;
  private static final int FENCED_BYTE = 1;

  private static final byte[] DONE = {DONE_BYTE};
  private static final byte[] FENCED = {FENCED_BYTE};

  private Answer() {}

  static byte[] done() {
    return DONE.clone();
  }

  static byte[] fenced() {
    return FENCED.clone();
  }

  static byte[] of(boolean value) {
    return new byte[] {DONE_BYTE, (byte) (value ? 1 : 0)};
  }

  /** A writer that has the first byte. */
  static ByteWriter open(int expectedBytes) {
    return new ByteWriter(expectedBytes).writeByte(DONE_BYTE);
  }

  /**
   * Reads the first byte.
   *
   * @throws InboxFencedException if the handle was not the inbox's any more
   */
  static ByteReader check(byte[] answer, InboxHandle handle) {
    ByteReader in = new ByteReader(answer);
    if (in.readByte() == FENCED_BYTE) {
      throw new InboxFencedException(handle);
    }
    return in;
  }
}
