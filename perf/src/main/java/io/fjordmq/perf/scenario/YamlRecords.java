package io.fjordmq.perf.scenario;

import java.util.LinkedHashMap;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reads records from YAML maps that contain one record per name. */
public final class YamlRecords {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private YamlRecords() {}

  /** Returns the content of a YAML map; empty if the text is empty. */
  public static Map<String, Object> parse(String text) {
    Map<String, Object> map = new LinkedHashMap<>();
    Object content = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
    if (content instanceof Map<?, ?> entries) {
      entries.forEach((key, value) -> map.put(String.valueOf(key), value));
    } else if (content != null) {
      throw new UsageException("expected a map, not '" + content + "'");
    }
    return map;
  }

  /**
   * Returns the records by name, in the order of the file. Components whose keys are missing are
   * null or zero.
   *
   * @param source the source of the text, for messages
   * @throws UsageException if the text is invalid
   */
  public static <T> Map<String, T> read(String text, String source, Class<T> type) {
    Map<String, T> records = new LinkedHashMap<>();
    String name = "";
    try {
      for (Map.Entry<String, Object> entry : parse(text).entrySet()) {
        name = entry.getKey();
        records.put(name, MAPPER.convertValue(entry.getValue(), type));
      }
      return records;
    } catch (YAMLException | JacksonException e) {
      throw new UsageException(source + ": " + name + ": " + e.getMessage());
    }
  }
}
