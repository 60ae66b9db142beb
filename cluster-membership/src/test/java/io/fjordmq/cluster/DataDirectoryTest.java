package io.fjordmq.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only one process at a time holds the data directory of a node; the others get an explanation. */
final class DataDirectoryTest {
  @TempDir Path folder;

  @Test
  void shouldCreateTheLastPartOfThePathWhenItIsMissing() throws IOException {
    try (DataDirectory directory = DataDirectory.open(folder.resolve("data"))) {
      assertThat(directory.path()).isDirectory().isEqualTo(folder.resolve("data"));
    }
  }

  @Test
  void shouldDenyAccessToOtherUsers() throws IOException {
    assumeThat(folder.getFileSystem().supportedFileAttributeViews()).contains("posix");
    Path fresh = folder.resolve("data");
    DataDirectory.open(fresh).close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fresh)))
        .isEqualTo("rwx------");
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    DataDirectory.open(open).close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(open)))
        .isEqualTo("rwx------");
  }

  @Test
  void shouldNameTheMissingParent() {
    assertThatThrownBy(() -> DataDirectory.open(folder.resolve("a").resolve("data")))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(folder.resolve("a").resolve("data").toString())
        .hasMessageContaining("'" + folder.resolve("a") + "' is not a directory; create that");
  }

  @Test
  void shouldRefuseAFile() throws IOException {
    Path file = Files.createFile(folder.resolve("data"));
    assertThatThrownBy(() -> DataDirectory.open(file))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("is a file; remove it");
  }

  @Test
  void shouldNameTheHolderWhenTheDirectoryIsLocked() throws IOException {
    try (DataDirectory held = DataDirectory.open(folder)) {
      assertThatThrownBy(() -> DataDirectory.open(held.path()))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("locked by process " + ProcessHandle.current().pid() + ";");
    }
  }

  @Test
  void shouldReleaseTheLockWhenClosed() throws IOException {
    DataDirectory.open(folder).close();
    try (DataDirectory again = DataDirectory.open(folder)) {
      assertThat(again.resolve("lock")).hasContent(ProcessHandle.current().pid() + "");
    }
  }

  @Test
  void shouldIgnoreTheLockFileOfACrashedProcess() throws IOException {
    Files.writeString(folder.resolve("lock"), "123456789\n");
    try (DataDirectory directory = DataDirectory.open(folder)) {
      assertThat(directory.resolve("lock")).hasContent(ProcessHandle.current().pid() + "");
    }
  }

  @Test
  void shouldExplainWhatToChangeWhenTheDirectoryIsNotWritable() throws IOException {
    Path sealed = Files.createDirectory(folder.resolve("sealed"));
    Files.setPosixFilePermissions(sealed, PosixFilePermissions.fromString("r-xr-xr-x"));
    assumeThat(Files.isWritable(sealed)).as("root can write everywhere").isFalse();
    assertThatThrownBy(() -> DataDirectory.open(sealed))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("is not writable by this user; change its owner");
  }
}
