package io.fjordmq.broker.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the settings accept, and the files that they name. */
class TelemetrySettingsTest {
  @TempDir Path folder;

  private static TelemetrySettings with(String name, Object value) {
    return RecordBuilder.from(TelemetrySettings.DEFAULTS).with(name, value).build();
  }

  private static TelemetrySettings enabled(String name, Object value) {
    return RecordBuilder.from(TelemetrySettings.DEFAULTS)
        .with("endpoint", "http://127.0.0.1:4317")
        .with(name, value)
        .build();
  }

  @Test
  void shouldExportNothingByDefault() {
    assertThat(TelemetrySettings.DEFAULTS.isEnabled()).isFalse();
    assertThat(TelemetrySettings.DEFAULTS.exportsMetrics()).isFalse();
    assertThat(with("endpoint", "https://collector").isEnabled()).isTrue();
    assertThat(with("endpoint", "https://collector").isTls()).isTrue();
    assertThat(with("endpoint", "http://[::1]:4317/").isTls()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "collector:4317",
        "collector",
        "grpc://collector:4317",
        "http://",
        "http://user@collector",
        "http://collector/v1/traces",
        "http://collector?x",
        "http://a b"
      })
  void shouldRejectOtherEndpoints(String endpoint) {
    assertThatThrownBy(() -> with("endpoint", endpoint))
        .hasStackTraceContaining("endpoint must be a URL such as http://collector:4317");
  }

  @Test
  void shouldReadHeaders() throws IOException {
    assertThat(CollectorFiles.headers(enabled("headers", "Authorization=Bearer a=b, x-team = t")))
        .isEqualTo(Map.of("authorization", "Bearer a=b", "x-team", "t"));
    Path file = Files.writeString(folder.resolve("headers"), "# comment\n\nauthorization=a,b\n");
    assertThat(CollectorFiles.headers(enabled("headersFile", file.toString())))
        .isEqualTo(Map.of("authorization", "a,b"));
    assertThat(CollectorFiles.headers(TelemetrySettings.DEFAULTS)).isEmpty();
  }

  @Test
  void shouldReportUnusableFilesWithoutTheirContents() throws IOException {
    Path file = Files.writeString(folder.resolve("headers"), "secret\n");
    assertThat(CollectorFiles.problems(enabled("headersFile", file.toString())))
        .containsExactly(
            "telemetryConfig.headersFile: header 1 must be name=value in printable ASCII");
    assertThat(CollectorFiles.problems(enabled("headers", "secr\u00e9t=x")))
        .singleElement()
        .asString()
        .startsWith("telemetryConfig.headers: header 1 must be");
    assertThat(CollectorFiles.problems(enabled("headersFile", folder + "/none")))
        .singleElement()
        .asString()
        .contains("cannot read " + folder + "/none");
    assertThat(CollectorFiles.problems(enabled("trustFile", file.toString())))
        .singleElement()
        .asString()
        .startsWith("telemetryConfig.trustFile: ");
    assertThat(CollectorFiles.problems(with("headersFile", "/none"))).as("disabled").isEmpty();
  }

  @Test
  void shouldNotShowHeaders() {
    assertThat(enabled("headers", "authorization=secret").toString()).doesNotContain("secret");
  }
}
