package io.fjordmq.range;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;

/** Checks the version byte at the start of stored and sent bytes. */
public final class StoredFormat {
  private StoredFormat() {}

  /**
   * Reads the version byte and rejects every version except the known one.
   *
   * @throws MalformedBytesException if the version differs; the message names both
   */
  public static void require(String what, int known, ByteReader in) {
    NewerFormatException.require(what, known, in.readByte());
  }
}
