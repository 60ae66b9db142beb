package io.fjordmq.cluster.forming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of a node that waits for a cluster. */
class FormingFileTest {
  private static final NodeId NODE = new NodeId("3f9c0a7be21d");
  private static final Promise PROMISE = new Promise(new NodeId("1b7e4c9a0d22"), 7);

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // created before each test
  private DataDirectory directory;

  @SuppressWarnings("NullAway.Init") // created before each test
  private FormingFile file;

  @BeforeEach
  void open() throws IOException {
    directory = DataDirectory.open(folder.resolve("data"));
    file = new FormingFile(directory);
  }

  @AfterEach
  void close() throws IOException {
    directory.close();
  }

  private Path path() {
    return directory.resolve("forming");
  }

  @Test
  void shouldHaveTheDocumentedFormat() throws IOException {
    file.save(new FormingState(NODE, 4, PROMISE, null));
    assertThat(path())
        .hasContent(
            "fjordmq forming, form 1\nnode 3f9c0a7be21d\nnumber 4\npromise 1b7e4c9a0d22 7\n");
    file.save(new FormingState(NODE, 5, null, "51c7d2e9a0b4f836"));
    assertThat(path())
        .hasContent(
            "fjordmq forming, form 1\nnode 3f9c0a7be21d\nnumber 5\ncluster 51c7d2e9a0b4f836\n");
  }

  @Test
  void shouldReadWhatItWrote() throws IOException {
    assertThat(file.load()).isEmpty();
    for (FormingState state :
        new FormingState[] {
          FormingState.of(NODE),
          FormingState.of(NODE).withPromise(PROMISE),
          FormingState.of(NODE).withNextNumber().withCluster("c")
        }) {
      file.save(state);
      assertThat(file.load()).contains(state);
    }
  }

  @Test
  void shouldTellAFounderFromOtherNodes() throws IOException {
    NodeIdentity identity = new NodeIdentity(NODE, "c");
    assertThat(file.isFounder(identity)).isFalse();
    file.save(FormingState.of(NODE).withPromise(PROMISE));
    assertThat(file.isFounder(identity)).isFalse();
    assertThat(file.promisedTo()).contains(PROMISE.proposer());
    file.save(FormingState.of(NODE).withCluster("other"));
    assertThat(file.isFounder(identity)).isFalse();
    file.save(FormingState.of(NODE).withCluster("c"));
    assertThat(file.isFounder(identity)).isTrue();
    file.delete();
    file.delete();
    assertThat(file.isFounder(identity)).isFalse();
  }

  @Test
  void shouldFoundAClusterAloneOnlyOnceAndNotAfterAPromise() throws IOException {
    NodeIdentity first = file.foundAlone(new Random(1)).identity();
    assertThat(file.foundAlone(new Random(2)).identity()).isEqualTo(first);
    assertThat(file.isFounder(first)).isTrue();
    file.save(FormingState.of(NODE).withPromise(PROMISE));
    assertThatThrownBy(() -> file.foundAlone(new Random(3)))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("waits for the cluster of node 1b7e4c9a0d22");
  }

  @Test
  void shouldRefuseInvalidAndNewerFiles() throws IOException {
    for (String invalid :
        new String[] {
          "",
          "fjordmq forming, form 1\n",
          "fjordmq forming, form 1\nnode a\nnumber x\n",
          "fjordmq forming, form 1\nnode a\nnumber 1\npromise b\n",
          "fjordmq forming, form 1\nnode a\nnumber 1\nsurprise 1\n",
          "fjordmq forming, form 1\nnode a\nnumber 1\npromise a 1\n"
        }) {
      Files.writeString(path(), invalid);
      assertThatThrownBy(file::load)
          .as(invalid)
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("start with an empty data directory");
    }
    Files.writeString(path(), "fjordmq forming, form 2\n");
    assertThatThrownBy(file::load)
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("a newer format; upgrade this node");
  }

  @Test
  void shouldLeaveTheDirectoryUsableForAnIdentity() throws IOException {
    file.save(FormingState.of(NODE));
    assertThat(NodeIdentity.load(directory)).isEmpty();
    NodeIdentity identity = new NodeIdentity(NODE, "c");
    identity.store(directory);
    assertThat(NodeIdentity.load(directory)).contains(identity);
  }
}
