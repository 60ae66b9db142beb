package io.fjordmq.broker.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.SupportedLevels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of backups, here from one directory to another. */
class BackupDownloadTest {
  private static final String INBOX = "inbox-0001.rows";
  private static final String METADATA = "metadata-0001.rows";

  @TempDir Path folder;
  private Path source;
  private Path target;

  @BeforeEach
  void write() throws IOException {
    source = folder.resolve("source");
    Samples.write(source, SupportedLevels.ofThisProcess().highest());
    target = Files.createDirectory(folder.resolve("target"));
  }

  private void download() throws IOException {
    new BackupDownload(StoredBackup.open(new DirectoryStorage(source)), target).run().verify();
  }

  @Test
  void shouldContinueAnInterruptedDownload() throws IOException {
    Files.copy(source.resolve(METADATA), target.resolve(METADATA));
    FileTime copied = FileTime.fromMillis(1_000);
    Files.setLastModifiedTime(target.resolve(METADATA), copied);
    Files.write(target.resolve(INBOX), new byte[Files.readAllBytes(source.resolve(INBOX)).length]);
    Files.createFile(target.resolve("of-another-backup.rows"));
    download();
    assertThat(Files.getLastModifiedTime(target.resolve(METADATA))).isEqualTo(copied);
    assertThat(target.resolve(INBOX)).hasSameBinaryContentAs(source.resolve(INBOX));
    assertThat(target.resolve("of-another-backup.rows")).doesNotExist();
  }

  @Test
  void shouldBeNoBackupIfAFileIsDamaged() throws IOException {
    byte[] bytes = Files.readAllBytes(source.resolve(INBOX));
    bytes[bytes.length - 1] ^= 1;
    Files.write(source.resolve(INBOX), bytes);
    assertThatThrownBy(this::download)
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("checksum mismatch in " + source.resolve(INBOX));
    assertThat(target.resolve(INBOX)).doesNotExist();
    assertThat(target.resolve(StoredBackup.MANIFEST)).doesNotExist();
  }

  @Test
  void shouldNotStartEmptyAfterAnInterruptedDownload() throws IOException {
    try (DataDirectory data = DataDirectory.open(folder.resolve("data"))) {
      Files.createDirectory(data.resolve(NodeIdentity.RESTORE_FOLDER));
      assertThatThrownBy(() -> Restore.requestedIn(data))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("run it again, or delete this directory");
    }
  }
}
