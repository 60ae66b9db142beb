package io.fjordmq.range.kv;

/** A view that later writes do not change. Holds resources until closed. Thread-safe. */
public interface KvSnapshot extends KvReader, AutoCloseable {
  @Override
  void close();
}
