package io.fjordmq.broker.backup;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Counts the bytes that pass through it. Not thread-safe. */
final class CountingStream extends FilterOutputStream {
  private long bytes;

  CountingStream(OutputStream out) {
    super(out);
  }

  long bytes() {
    return bytes;
  }

  @Override
  public void write(int value) throws IOException {
    out.write(value);
    bytes++;
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    out.write(source, offset, length);
    bytes += length;
  }
}
