package io.fjordmq.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node keeps its identity, and directories that belong to something else are not modified. */
final class NodeIdentityTest {
  private static final NodeIdentity IDENTITY = new NodeIdentity(new NodeId("n1"), "c1");

  @TempDir Path folder;
  private DataDirectory directory;

  @BeforeEach
  void open() throws IOException {
    directory = DataDirectory.open(folder);
  }

  @AfterEach
  void close() throws IOException {
    directory.close();
  }

  @Test
  void shouldFindNothingWhenTheDirectoryIsNew() throws IOException {
    assertThat(NodeIdentity.load(directory)).isEmpty();
  }

  @Test
  void shouldFindTheSameIdentityWhenStartedAgain() throws IOException {
    NodeIdentity first = NodeIdentity.random(new Random(1));
    first.store(directory);
    assertThat(NodeIdentity.load(directory)).contains(first);
  }

  @Test
  void shouldWriteTheDocumentedFormat() throws IOException {
    IDENTITY.store(directory);
    assertThat(Files.readString(folder.resolve("node.id")))
        .isEqualTo("fjordmq data directory, form 1\nnode n1\ncluster c1\n");
  }

  @Test
  void shouldGenerateADifferentIdentityEachTime() {
    Random random = new Random(1);
    assertThat(NodeIdentity.random(random)).isNotEqualTo(NodeIdentity.random(random));
  }

  @Test
  void shouldNotReplaceAnIdentity() throws IOException {
    IDENTITY.store(directory);
    assertThatThrownBy(() -> NodeIdentity.random(new Random(2)).store(directory))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("already belongs to a node");
    assertThat(NodeIdentity.load(directory)).contains(IDENTITY);
  }

  @Test
  void shouldExplainWhatToDoWhenTheFormatIsNewer() throws IOException {
    Files.writeString(folder.resolve("node.id"), "fjordmq data directory, form 2\nwhatever\n");
    assertThatThrownBy(() -> NodeIdentity.load(directory))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("has format 2, but this version of FjordMQ reads format 1")
        .hasMessageContaining("start the version that wrote it");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "fjordmq data directory, form 1\n",
        "fjordmq data directory, form 1\nnode a b\ncluster c\n",
        "fjordmq data directory, form 1\nnode a\ncluster \n"
      })
  void shouldRefuseADamagedFile(String content) throws IOException {
    Files.writeString(folder.resolve("node.id"), content);
    assertThatThrownBy(() -> NodeIdentity.load(directory))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("identity cannot be read")
        .hasMessageContaining("empty data directory");
  }

  @Test
  void shouldRefuseAForeignDirectory() throws IOException {
    Files.writeString(folder.resolve("photo.jpg"), "");
    assertThatThrownBy(() -> IDENTITY.store(directory))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("holds 'photo.jpg' but no 'node.id'")
        .hasMessageContaining("choose an empty directory");
    assertThat(folder.resolve("node.id")).doesNotExist();
  }

  @Test
  void shouldStartOverIfTheFirstStartEndedBeforeTheIdentityWasStored() throws IOException {
    Files.writeString(folder.resolve("node.id.tmp"), "fjordmq da");
    IDENTITY.store(directory);
    assertThat(NodeIdentity.load(directory)).contains(IDENTITY);
  }
}
