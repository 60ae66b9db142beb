package io.fjordmq.cluster.consensus;

/** Tells the source of a copy, until it is closed, that the copy is still being installed. */
interface InstallNotice extends AutoCloseable {

  /** Tells nobody. */
  InstallNotice NONE = () -> {};

  @Override
  void close();
}
