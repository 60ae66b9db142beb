package io.fjordmq.broker.backup;

/**
 * Opens backups in object storage. The implementation has a class loader of its own, so that nodes
 * without such backups do not load its libraries. Found with {@link java.util.ServiceLoader}.
 */
public interface ObjectStorage {
  /**
   * Opens the storage without a request to it. The calling thread keeps the class loader of the
   * implementation as its context class loader.
   *
   * @throws BackupException if the settings are incomplete or invalid
   */
  BackupStorage open(ObjectLocation location) throws BackupException;
}
