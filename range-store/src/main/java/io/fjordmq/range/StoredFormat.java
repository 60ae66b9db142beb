package io.fjordmq.range;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormException;

/** The byte with which everything stored begins. */
public final class StoredFormat {
  private StoredFormat() {}

  /**
   * Reads it and refuses any other than the one known.
   *
   * @throws MalformedBytesException if it is another one; says so
   */
  public static void require(String what, int known, ByteReader in) {
    NewerFormException.require(what, known, in.readByte());
  }
}
