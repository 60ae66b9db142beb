package io.fjordmq.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/LIMITS.md lists every limit with its actual default and an existing metric. */
class LimitsDocumentTest {
  private static final Path DOCUMENT = Path.of("../docs/LIMITS.md");
  private static final Path METRICS = Path.of("../docs/METRICS.md");

  private record Row(
      String limit, String key, String defaultValue, String clientResult, String metric) {
    static Row of(String line) {
      String[] cells = line.split(" *\\| *", -1);
      assertThat(cells).as(line).hasSize(7);
      return new Row(unquoted(cells[1]), unquoted(cells[2]), cells[3], cells[4], cells[5]);
    }

    private static String unquoted(String cell) {
      return cell.replace("`", "");
    }
  }

  private static List<Row> rows() throws IOException {
    try (Stream<String> lines = Files.lines(DOCUMENT)) {
      return lines.filter(line -> line.matches("\\| .*\\| `[a-zA-Z.]+` .*")).map(Row::of).toList();
    }
  }

  @Test
  void shouldHaveARowForEveryLimit() throws IOException {
    List<String> expected =
        Arrays.stream(Limit.values()).map(limit -> limit.label() + " " + limit.key()).toList();
    assertThat(rows().stream().map(row -> row.limit + " " + row.key)).containsAll(expected);
  }

  @Test
  void shouldListTheActualDefaults() throws IOException {
    Map<String, ConfigSchema.Key> keys = ConfigSchema.of(BrokerConfig.defaults()).keys();
    for (Row row : rows()) {
      ConfigSchema.Key key = keys.get(row.key);
      assertThat(key).as(row.key).isNotNull();
      Objects.requireNonNull(key);
      String documented = row.defaultValue.replaceFirst(":.*", "");
      assertThat(ValueText.parse(documented, key.type())).as(row.key).isEqualTo(key.defaultValue());
      assertThat(row.clientResult).as(row.key).isNotBlank();
    }
  }

  @Test
  void shouldListOnlyExistingMetrics() throws IOException {
    String metrics = Files.readString(METRICS);
    Pattern name = Pattern.compile("`(fjordmq_[a-z_]+)(\\{[^`]*})?`");
    for (Row row : rows()) {
      Matcher matcher = name.matcher(row.metric);
      assertThat(matcher.matches()).as(row.metric).isTrue();
      assertThat(metrics).contains("| `" + matcher.group(1) + "` |");
    }
  }
}
