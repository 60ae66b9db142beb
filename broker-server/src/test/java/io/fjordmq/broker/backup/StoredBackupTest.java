package io.fjordmq.broker.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.range.store.RowFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredBackupTest {
  private static final String INBOX = "inbox-0001.rows";

  @TempDir Path folder;

  private Path backup() throws IOException {
    Path directory = folder.resolve("backup");
    Samples.write(directory, SupportedLevels.ofThisProcess().highest());
    return directory;
  }

  private static BackupLocation at(Path directory) {
    return BackupLocation.of(directory.toString());
  }

  private static StoredBackup open(Path directory) throws IOException {
    return StoredBackup.open(new DirectoryStorage(directory));
  }

  @Test
  void shouldReadWhatWasWritten() throws IOException {
    Path directory = backup();
    StoredBackup backup = open(directory);
    backup.verify();
    List<String> keys = new ArrayList<>();
    RowFile.read(
        directory.resolve(backup.manifest().metadata().name()),
        (key, value) -> keys.add(new String(key, "UTF-8")));
    assertThat(keys).containsExactly("ban/a");
    assertThat(BackupProgram.verify(at(directory))).contains("complete and undamaged: 2 ranges");
    assertThat(BackupProgram.show(at(directory)))
        .contains("cluster    51c7d2e9a0b4f836", "  inbox-0001.rows  range inbox-7 at index 99");
  }

  @Test
  void shouldDetectADamagedFile() throws IOException {
    Path directory = backup();
    byte[] bytes = Files.readAllBytes(directory.resolve(INBOX));
    for (int at = 0; at < bytes.length; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 1;
      Files.write(directory.resolve(INBOX), damaged);
      assertThatThrownBy(() -> BackupProgram.verify(at(directory)))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("checksum mismatch in")
          .hasMessageContaining(INBOX);
    }
  }

  @Test
  void shouldDetectMissingAndTruncatedFiles() throws IOException {
    Path directory = backup();
    Path file = directory.resolve(INBOX);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, new byte[] {1});
    assertThatThrownBy(() -> open(directory)).hasMessageContaining("has 1 bytes");
    Files.delete(file);
    assertThatThrownBy(() -> open(directory)).hasMessageContaining("is missing");
    Files.write(folder.resolve("elsewhere"), bytes);
    Files.createSymbolicLink(file, folder.resolve("elsewhere"));
    assertThatThrownBy(() -> open(directory)).hasMessageContaining("is missing");
    Files.delete(directory.resolve(StoredBackup.MANIFEST));
    assertThatThrownBy(() -> open(directory)).hasMessageContaining("is incomplete");
    assertThatThrownBy(() -> open(folder.resolve("none"))).hasMessageContaining("not a directory");
  }

  @Test
  void shouldWriteOnlyIntoANewOrEmptyDirectory() throws IOException {
    Path directory = backup();
    assertThatThrownBy(() -> BackupWriter.create(at(directory)))
        .hasMessageContaining("is not empty");
    assertThatThrownBy(() -> BackupWriter.create(at(Path.of("relative"))))
        .hasMessageContaining("absolute path");
    assertThatThrownBy(() -> BackupWriter.create(at(folder.resolve("no/parent"))))
        .hasMessageContaining("cannot be created");
    assertThatThrownBy(() -> BackupWriter.create(at(Path.of("/in-the-root-directory"))))
        .hasMessageContaining("cannot be created");
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> BackupWriter.create(at(file))).hasMessageContaining("not a directory");
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThat(BackupWriter.create(at(empty)).location()).isEqualTo(empty.toString());
  }

  @Test
  void shouldDeleteTheFilesOfADiscardedBackup() throws IOException {
    BackupWriter writer = BackupWriter.create(at(folder.resolve("discarded")));
    writer.write(INBOX, rows -> rows.visit(new byte[] {1}, new byte[0]));
    writer.discard();
    assertThat(folder.resolve("discarded")).isEmptyDirectory();
  }

  @Test
  void shouldRequestTheRestoreIntoAnEmptyDirectoryOnly() throws IOException {
    Path backup = backup();
    Path data = folder.resolve("data");
    assertThat(BackupProgram.requestRestore(at(backup), data)).contains("start it now");
    try (DataDirectory directory = DataDirectory.open(data)) {
      RestoreRequest request = RestoreRequest.load(directory).orElseThrow();
      assertThat(request.backup()).isEqualTo(backup);
      assertThat(request.manifestSha256()).isEqualTo(open(backup).manifestSha256());
    }
    assertThatThrownBy(() -> BackupProgram.requestRestore(at(backup), data))
        .hasMessageContaining("already has a restore request");

    Path used = folder.resolve("used");
    try (DataDirectory directory = DataDirectory.open(used)) {
      NodeIdentity.random(new Random(1)).store(directory);
    }
    assertThatThrownBy(() -> BackupProgram.requestRestore(at(backup), used))
        .hasMessageContaining("belongs to a node");
    Path foreign = Files.createDirectory(folder.resolve("foreign"));
    Files.createFile(foreign.resolve("x"));
    assertThatThrownBy(() -> BackupProgram.requestRestore(at(backup), foreign))
        .hasMessageContaining("choose an empty directory");
  }

  @Test
  void shouldRestoreEveryLevelThatThisVersionSupports() throws IOException {
    int highest = SupportedLevels.ofThisProcess().highest();
    for (int level = 1; level <= highest; level++) {
      Path backup = folder.resolve("backup" + level);
      Samples.write(backup, level);
      assertThat(BackupProgram.show(at(backup))).contains("level      " + level);
      assertThat(BackupProgram.requestRestore(at(backup), folder.resolve("data" + level)))
          .contains("start it now");
    }
  }

  @Test
  void shouldWriteNothingIfTheLevelIsTooHigh() throws IOException {
    Path backup = folder.resolve("backup");
    int tooHigh = SupportedLevels.ofThisProcess().highest() + 1;
    Samples.write(backup, tooHigh);
    Path data = folder.resolve("data");
    assertThatThrownBy(() -> BackupProgram.requestRestore(at(backup), data))
        .isInstanceOf(BackupException.class)
        .hasMessage(
            "cannot restore the backup in %s: its data has cluster level %d, but this version of"
                + " FjordMQ supports %s; restore it with version 0.1.0, which wrote it, or a newer"
                + " one",
            backup, tooHigh, SupportedLevels.ofThisProcess());
    assertThat(data).doesNotExist();
    assertThat(BackupProgram.verify(at(backup))).contains("complete and undamaged");
  }

  /** The request was made by a newer version than the node that is started. */
  @Test
  void shouldCreateNothingIfTheLevelOfARequestedRestoreIsTooHigh() throws IOException {
    Path backup = folder.resolve("backup");
    Samples.write(backup, SupportedLevels.ofThisProcess().highest() + 1);
    try (DataDirectory directory = DataDirectory.open(folder.resolve("data"))) {
      new RestoreRequest(backup, open(backup).manifestSha256()).store(directory);
      assertThatThrownBy(() -> Restore.requestedIn(directory))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("cannot restore the backup");
      assertThat(NodeIdentity.load(directory)).isEmpty();
    }
  }

  @Test
  void shouldCreateNothingIfTheBackupHasChangedSinceTheRequest() throws IOException {
    Path backup = backup();
    Path data = folder.resolve("data");
    BackupProgram.requestRestore(at(backup), data);
    Files.delete(backup.resolve(INBOX));
    try (DataDirectory directory = DataDirectory.open(data)) {
      assertThatThrownBy(() -> Restore.requestedIn(directory))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("is missing");
      assertThat(NodeIdentity.load(directory)).isEmpty();
    }
  }
}
