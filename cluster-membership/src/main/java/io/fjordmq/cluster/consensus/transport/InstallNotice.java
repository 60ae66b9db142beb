package io.fjordmq.cluster.consensus.transport;

/** Keeps telling the source of a snapshot that the installation is in progress, until closed. */
public interface InstallNotice extends AutoCloseable {

  /** Sends no notices. */
  InstallNotice NONE = () -> {};

  @Override
  void close();
}
