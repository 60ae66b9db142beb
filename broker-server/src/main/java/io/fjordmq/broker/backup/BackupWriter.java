package io.fjordmq.broker.backup;

import io.fjordmq.range.store.RowFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.LinkedHashSet;
import java.util.Set;

/** Writes the files of a new backup. Used by one thread; blocks. */
final class BackupWriter implements AutoCloseable {
  private final BackupStorage storage;
  private final Set<String> written = new LinkedHashSet<>();

  private BackupWriter(BackupStorage storage) {
    this.storage = storage;
  }

  /**
   * Opens an empty or new directory, or an unused prefix in object storage.
   *
   * @throws BackupException if it cannot be used; the message says why
   */
  static BackupWriter create(BackupLocation location) throws IOException {
    BackupStorage storage = location.open();
    try {
      storage.prepare();
      return new BackupWriter(storage);
    } catch (IOException | RuntimeException e) {
      storage.close();
      throw e;
    }
  }

  /** Returns the directory or URL, for people. */
  String location() {
    return storage.location();
  }

  long freeBytes() throws IOException {
    return storage.freeBytes();
  }

  /** Adds the rows of a file. */
  @FunctionalInterface
  interface Contents {
    void writeTo(RowFile.RowVisitor rows) throws IOException;
  }

  /** Writes a file, replacing an earlier attempt. */
  BackupFile write(String name, Contents contents) throws IOException {
    written.add(name);
    MessageDigest digest = Sha256.begin();
    long[] rows = {0};
    try (BackupStorage.NewFile file = storage.create(name)) {
      CountingStream counted = new CountingStream(file);
      RowFile.Writer out = RowFile.write(new DigestOutputStream(counted, digest));
      contents.writeTo(
          (key, value) -> {
            out.add(key, value);
            rows[0]++;
          });
      out.finish();
      file.commit();
      return new BackupFile(name, counted.bytes(), Sha256.end(digest), rows[0]);
    }
  }

  /** Completes the backup. */
  void finish(Manifest manifest) throws IOException {
    storage.put(
        StoredBackup.MANIFEST, ManifestText.format(manifest).getBytes(StandardCharsets.UTF_8));
  }

  /** Deletes the files of a backup that has failed. A directory itself remains. */
  void discard() throws IOException {
    for (String name : written) {
      storage.delete(name);
    }
  }

  @Override
  public void close() {
    storage.close();
  }
}
