package io.fjordmq.auth.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are replaced by valid and by invalid ones. */
class FileBackedValueTest {
  @TempDir Path folder;

  private FileBackedValue<Integer> read(Path file) {
    ProviderSettings settings =
        new ProviderSettings("section", Map.of("secretFile", file.toString()));
    return FileBackedValue.read(
        settings,
        List.of("secretFile", "otherFile"),
        () ->
            Integer.parseInt(
                new String(settings.file("secretFile", 10), StandardCharsets.US_ASCII)));
  }

  @Test
  void shouldUseReplacedFilesUnlessTheyAreInvalid() throws Exception {
    Path file = Files.writeString(folder.resolve("number"), "1");
    FileBackedValue<Integer> number = read(file);
    assertThat(number.current()).isEqualTo(1);
    Files.writeString(file, "22");
    Await.until("the new contents", () -> number.current() == 22);
    Files.writeString(file, "none");
    Files.writeString(folder.resolve("next"), "333");
    Files.delete(file);
    assertThat(number.current()).isEqualTo(22);
    Files.move(folder.resolve("next"), file);
    Await.until("the next contents", () -> number.current() == 333);
  }

  @Test
  void shouldReportInvalidFilesAtTheStart() throws Exception {
    Path file = Files.writeString(folder.resolve("number"), "none");
    assertThatThrownBy(() -> read(file)).isInstanceOf(IllegalArgumentException.class);
  }
}
