package io.fjordmq.perf.scenario;

import io.fjordmq.perf.scenario.Connections.Transport;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * A scenario as described by its keys in a scenario file. {@link Clients}, {@link Traffic}, {@link
 * Connections}, {@link ClientChurn}, {@link ClientUsers}, {@link Cluster}, {@link NodeLimits} and
 * {@link Scenario} explain the keys.
 */
record ScenarioEntry(
    @Nullable Flow flow,
    int publishers,
    int subscribers,
    int idle,
    int topics,
    int collectors,
    boolean apart,
    double perSecond,
    int payloadBytes,
    int qos,
    int qosPercent,
    int batchMillis,
    Transport transport,
    int mqtt,
    boolean persistent,
    double connectsPerSecond,
    int keepAliveSeconds,
    UserStore users,
    int rulesPerUser,
    double leavingPercent,
    int minLifeSeconds,
    int maxLifeSeconds,
    int nodes,
    int voters,
    boolean cold,
    double nodeProcessors,
    double nodeGibibytes,
    int seconds,
    @Nullable String published) {

  /** Defaults of the keys whose default is not 0, false or missing. */
  private static final Map<String, Object> DEFAULTS =
      YamlRecords.parse(
          "{qosPercent: 100, transport: tcp, mqtt: 4, users: none, nodes: 1, seconds: 60}");

  /** Reads entries; whole numbers may be counts such as 15k. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .addModule(new SimpleModule().addDeserializer(Integer.TYPE, new CountDeserializer()))
          .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private static final class CountDeserializer extends StdDeserializer<Integer> {
    CountDeserializer() {
      super(Integer.TYPE);
    }

    @Override
    public Integer deserialize(JsonParser in, DeserializationContext context) {
      return Count.parse(in.getValueAsString().replace("_", ""));
    }

    @Override
    public Integer getNullValue(DeserializationContext context) {
      return 0;
    }
  }

  /**
   * Returns the scenario with this name.
   *
   * @param content adds keys to those in the name; null if the name defines everything
   * @throws UsageException if a key or value is invalid
   */
  static Scenario read(String name, @Nullable Object content) {
    Map<String, Object> values = new LinkedHashMap<>(DEFAULTS);
    try {
      Optional<Map<String, Object>> named = ScenarioName.values(name);
      named.ifPresent(values::putAll);
      if (content instanceof Map<?, ?> map) {
        if (named.isPresent() && map.containsKey("flow")) {
          throw new UsageException("the name already implies the flow; remove 'flow'");
        }
        map.forEach((key, value) -> values.put(String.valueOf(key), value));
      } else if (content != null) {
        throw new UsageException("expected a map of keys, not '" + content + "'");
      }
      return MAPPER.convertValue(values, ScenarioEntry.class).scenario(name);
    } catch (UsageException e) {
      throw new UsageException(name + ": " + e.getMessage());
    } catch (DatabindException e) {
      throw new UsageException(name + ": " + message(e, values));
    }
  }

  private static String message(DatabindException error, Map<String, Object> values) {
    String key = error.getPath().get(0).getPropertyName();
    if (error instanceof UnrecognizedPropertyException unknown) {
      return "unknown key '%s'; must be one of %s"
          .formatted(key, new TreeSet<>(unknown.getKnownPropertyIds()));
    }
    if (error instanceof MismatchedInputException mismatch) {
      Class<?> type = mismatch.getTargetType();
      String allowed =
          type.isEnum() ? choices(type) : type == boolean.class ? "true or false" : "a number";
      return "%s must be %s, not '%s'".formatted(key, allowed, values.get(key));
    }
    return key + ": " + error.getOriginalMessage();
  }

  private static String choices(Class<?> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", ", "one of ", ""));
  }

  private Scenario scenario(String name) {
    if (flow == null) {
      throw new UsageException("flow must be " + choices(Flow.class) + "; it is missing");
    }
    return new Scenario(
        name,
        flow,
        new Clients(publishers, subscribers, idle, topics, collectors, apart),
        new Traffic(perSecond, payloadBytes, qos, qosPercent, batchMillis),
        new Connections(
            transport,
            mqtt,
            persistent,
            connectsPerSecond,
            keepAliveSeconds,
            new ClientChurn(leavingPercent, minLifeSeconds, maxLifeSeconds),
            new ClientUsers(users, rulesPerUser)),
        new Cluster(nodes, voters, cold, new NodeLimits(nodeProcessors, nodeGibibytes)),
        seconds,
        published == null ? "" : published);
  }
}
