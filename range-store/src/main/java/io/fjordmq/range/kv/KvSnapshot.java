package io.fjordmq.range.kv;

/** A view unaffected by later writes. Holds resources until closed. Thread-safe. */
public interface KvSnapshot extends KvReader, AutoCloseable {
  @Override
  void close();
}
