package io.fjordmq.broker.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fjordmq.broker.http.ReplyBody;
import io.fjordmq.broker.query.ClientRow;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.exc.ValueInstantiationException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Reads and writes JSON. Names are in snake case, enum constants in lower case, times as in RFC
 * 3339; null components are left out. Thread-safe.
 */
final class Json {
  private static final int MAX_DEPTH = 32;

  private final ResponseBuffers buffers = new ResponseBuffers();
  private final JsonMapper mapper =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                  .build())
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .changeDefaultPropertyInclusion(
              inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .addModule(
              new SimpleModule()
                  .addDeserializer(Instant.class, new TimeReader())
                  .addSerializer(Instant.class, new TimeWriter())
                  .addSerializer(ClientRow.class, new ClientRowWriter()))
          .build();

  /** Reads the times that {@link JsonCheck} accepts. */
  private static final class TimeReader extends ValueDeserializer<Instant> {
    @Override
    public Instant deserialize(JsonParser parser, DeserializationContext context) {
      return Rfc3339.parse(parser.getString());
    }
  }

  /** Writes times, which are a large part of the work for a list. */
  private static final class TimeWriter extends ValueSerializer<Instant> {
    @Override
    public void serialize(Instant time, JsonGenerator json, SerializationContext context) {
      byte[] text = Rfc3339.format(time);
      json.writeRawUTF8String(text, 0, text.length);
    }
  }

  byte[] write(Object value) {
    return mapper.writeValueAsBytes(value);
  }

  /** The fields of a record, as {@link #write} writes them. */
  Map<String, Object> fields(Object value) {
    Map<String, Object> fields = new LinkedHashMap<>();
    mapper // some serializers can write bytes only
        .readTree(write(value))
        .properties()
        .forEach(field -> fields.put(field.getKey(), field.getValue()));
    return fields;
  }

  /** Writes a value that is sent once. */
  ReplyBody writeOnce(Object value) {
    ResponseBuffers.Output out = buffers.open();
    mapper.writeValue(out, value);
    return new ReplyBody(out.array(), out.length(), buffers::reuse);
  }

  /**
   * Reads and validates a body.
   *
   * @return a record, or a list of records or strings
   * @throws ApiException 400 if the body is not valid; the message names the field
   */
  Object read(byte[] body, Schema schema) {
    JsonNode tree = parse(body);
    new JsonCheck().check("", tree, schema);
    if (schema instanceof Schema.Items items) {
      return tree.valueStream().map(element -> bind(element, items.element())).toList();
    }
    return bind(tree, schema);
  }

  private Object bind(JsonNode tree, Schema schema) {
    if (!(schema instanceof Schema.Structure structure)) {
      return tree.asString();
    }
    try {
      return mapper.treeToValue(tree, structure.type());
    } catch (ValueInstantiationException e) {
      throw ApiException.badRequest(reason(e)); // a check in the constructor of the record
    }
  }

  private static String reason(ValueInstantiationException thrown) {
    @Nullable Throwable cause = thrown.getCause();
    if (cause instanceof IllegalArgumentException && cause.getMessage() != null) {
      return cause.getMessage();
    }
    throw thrown;
  }

  private JsonNode parse(byte[] body) {
    if (body.length == 0) {
      throw ApiException.badRequest("the body is missing; send JSON");
    }
    try {
      return mapper.readTree(body);
    } catch (StreamConstraintsException e) {
      throw ApiException.badRequest(
          "the body is nested too deeply or has a value that is too long");
    } catch (StreamReadException e) {
      throw ApiException.badRequest(
          "the body is not valid JSON (line %d, column %d)"
              .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr()));
    } catch (JacksonException e) {
      throw ApiException.badRequest("the body is not valid JSON in UTF-8");
    }
  }
}
