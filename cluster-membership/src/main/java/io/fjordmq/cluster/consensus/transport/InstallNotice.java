package io.fjordmq.cluster.consensus.transport;

/** Until closed, notifies the source of a snapshot that its installation is still in progress. */
public interface InstallNotice extends AutoCloseable {

  /** Sends no notices. */
  InstallNotice NONE = () -> {};

  @Override
  void close();
}
