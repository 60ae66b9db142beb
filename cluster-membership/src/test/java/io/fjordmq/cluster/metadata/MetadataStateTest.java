package io.fjordmq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MetadataStateTest {
  @TempDir Path copy;
  private final List<byte[]> saved = new ArrayList<>();

  private final MetadataStorage storage =
      new MetadataStorage() {
        @Override
        public byte @Nullable [] load() {
          return null;
        }

        @Override
        public void save(byte[] checkpoint) {
          saved.add(checkpoint);
        }
      };

  /** Otherwise every start would first try to install the damaged snapshot again. */
  @Test
  void shouldRefuseADamagedSnapshotBeforeChangingAnything() throws IOException {
    MetadataState state = MetadataState.load(storage, Runnable::run, 100, () -> {});
    state.export(copy);
    state.install(copy);
    assertThat(saved).hasSize(1);
    try (var files = Files.list(copy)) {
      Files.write(files.findFirst().orElseThrow(), new byte[] {1, 2, 3});
    }
    assertThatThrownBy(() -> state.install(copy)).isInstanceOf(SnapshotRefusedException.class);
    assertThat(saved).hasSize(1);
  }
}
