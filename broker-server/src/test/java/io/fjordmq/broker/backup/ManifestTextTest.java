package io.fjordmq.broker.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a manifest in both formats. Changing them requires a new format. */
class ManifestTextTest {
  private static final String BODY =
      """
      fjordmq backup, format 2
      cluster 51c7d2e9a0b4f836
      version 0.1.0
      level 3
      started 2026-11-27T17:00:00Z
      finished 2026-11-27T17:00:05.500Z
      node 3f9c0a7be21d 5
      metadata metadata-0001.rows 12 SHA 3
      range inbox-0001.rows 12 SHA 3 inbox 7 4 99 : :0800
      range inbox-0002.rows 12 SHA 3 inbox 7 4 99 :0800 -
      range retain-0003.rows 12 SHA 3 retain 7 4 99 : -
      """
          .replace("SHA", Samples.SHA);
  private static final String WITHOUT_LEVEL =
      BODY.replace("format 2", "format 1").replace("level 3\n", "");

  private static String withChecksum(String body) {
    return body + "sha256 " + Sha256.of(body.getBytes(StandardCharsets.UTF_8)) + "\n";
  }

  @Test
  void shouldNotChangeTheBytes() throws BackupException {
    String text = ManifestText.format(Samples.manifest(3));
    assertThat(text).isEqualTo(withChecksum(BODY));
    assertThat(text)
        .endsWith("\nsha256 " + Sha256.of(BODY.getBytes(StandardCharsets.UTF_8)) + "\n");
    assertThat(ManifestText.parse(text)).isEqualTo(Samples.manifest(3));
  }

  @Test
  void shouldReadAndWriteLevel1AsOlderReleasesDo() throws BackupException {
    String text = ManifestText.format(Samples.manifest(1));
    assertThat(text).isEqualTo(withChecksum(WITHOUT_LEVEL));
    assertThat(ManifestText.parse(text)).isEqualTo(Samples.manifest(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"level 0", "level 65536", "level x", "level", "level 2 3"})
  void shouldRefuseInvalidLevels(String line) {
    assertThatThrownBy(() -> ManifestText.parse(withChecksum(BODY.replace("level 3", line))))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("the manifest is invalid");
  }

  @Test
  void shouldRequireTheLevelInItsFormatOnly() {
    for (String body :
        List.of(
            BODY.replace("level 3\n", ""), WITHOUT_LEVEL.replace("started", "level 3\nstarted"))) {
      assertThatThrownBy(() -> ManifestText.parse(withChecksum(body)))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("line 4 must be");
    }
  }

  @Test
  void shouldComputeTheChecksumOfTheStandard() {
    assertThat(Sha256.of("abc".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @Test
  void shouldRefuseEveryTruncation() {
    String text = withChecksum(BODY);
    for (int length = 0; length < text.length(); length++) {
      String truncated = text.substring(0, length);
      assertThatThrownBy(() -> ManifestText.parse(truncated)).isInstanceOf(BackupException.class);
    }
  }

  @Test
  void shouldRefuseEveryChangedByte() {
    String text = withChecksum(BODY);
    for (int at = 0; at < text.length(); at++) {
      String changed = text.substring(0, at) + '!' + text.substring(at + 1);
      assertThatThrownBy(() -> ManifestText.parse(changed)).isInstanceOf(BackupException.class);
    }
  }

  @Test
  void shouldNameTheNewerFormat() {
    assertThatThrownBy(() -> ManifestText.parse(withChecksum(BODY.replace("format 2", "format 3"))))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("has format 3, but this version of FjordMQ reads formats 1 and 2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../inbox-0001.rows",
        "/etc/inbox-0001.rows",
        "a/inbox-0001.rows",
        "..",
        "MANIFEST",
        "inbox-0001.rows\u0000",
        "inbox-1.rows/../../x-1.rows"
      })
  void shouldRefuseNamesThatLeadOutOfTheDirectory(String name) {
    String text = withChecksum(BODY.replace("inbox-0001.rows", name));
    assertThatThrownBy(() -> ManifestText.parse(text))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("invalid");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "range inbox-0001.rows 12 SHA 3 inbox 7 4 99 : :0700", // a gap
        "range inbox-0001.rows 12 SHA 3 inbox 7 4 99 : :0900", // an overlap
        "range inbox-0001.rows 12 SHA 3 inbox 7 4 99 :01 :0800", // not from the first key
        "range inbox-0001.rows 12 SHA 3 inbox 7 4 99 : 0800",
        "range inbox-0001.rows 12 SHA 3 dist 7 4 99 : :0800",
        "range inbox-0002.rows 12 SHA 3 inbox 7 4 99 : :0800", // the same file twice
        "range inbox-0001.rows -1 SHA 3 inbox 7 4 99 : :0800",
        "range inbox-0001.rows 12 ab 3 inbox 7 4 99 : :0800",
        "range inbox-0001.rows 12 SHA 3 inbox 7 4 99 :",
        "unknown 1"
      })
  void shouldRefuseInvalidContents(String line) {
    List<String> lines = BODY.lines().toList();
    String text = withChecksum(BODY.replace(lines.get(8), line.replace("SHA", Samples.SHA)));
    assertThatThrownBy(() -> ManifestText.parse(text))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("the manifest is invalid");
  }

  @Test
  void shouldRefuseAStoreWhoseEndIsMissing() {
    String last = BODY.lines().toList().get(10);
    assertThatThrownBy(() -> ManifestText.parse(withChecksum(BODY.replace(last + "\n", ""))))
        .hasMessageContaining("the last keys of the store retain are missing");
  }
}
