package io.fjordmq.broker.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The marker of an unfinished recovery. */
class RecoveryFileTest {
  private static final NodeIdentity NEXT = new NodeIdentity(new NodeId("3f9c"), "51c7");

  @TempDir Path path;

  @Test
  void shouldKeepTheNodeFromStartingUntilTheRecoveryEnds() throws IOException {
    try (DataDirectory directory = DataDirectory.open(path)) {
      RecoveryFile file = new RecoveryFile(directory);
      assertThat(file.load()).isEmpty();
      file.store(NEXT);
      assertThat(path.resolve("recovering"))
          .hasContent("fjordmq recovery, format 1\nnode 3f9c\ncluster 51c7\n");
      assertThat(file.load()).contains(NEXT);
      assertThatThrownBy(() -> RecoveryFile.requireNone(directory))
          .isInstanceOf(StartException.class)
          .hasMessageContaining("run 'fjordmq recover --confirm' again");
      file.delete();
      assertThatCode(() -> RecoveryFile.requireNone(directory)).doesNotThrowAnyException();
    }
  }

  @Test
  void shouldRefuseANewerFormat() throws IOException {
    try (DataDirectory directory = DataDirectory.open(path)) {
      Files.writeString(path.resolve("recovering"), "fjordmq recovery, format 2\n");
      assertThatThrownBy(() -> new RecoveryFile(directory).load())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("interrupted recovery");
    }
  }
}
