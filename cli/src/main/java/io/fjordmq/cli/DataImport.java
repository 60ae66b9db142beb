package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiFailure.Kind;
import io.fjordmq.cli.api.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends the lines of a file to the API, in batches. Leaves existing elements unchanged and lists
 * those that the node refuses; only a failure that affects every request ends the import.
 */
final class DataImport {
  private static final int MAX_BATCH_CHARS = 256 << 10;

  private final CommandContext context;
  private final Path file;
  private final Consumer<String> skipped;
  private final Map<DataKind, Integer> created = new EnumMap<>(DataKind.class);
  private int skips;
  private @Nullable DataKind kind;
  private ArrayNode batch = Json.object().putArray("batch");
  private int chars;

  /**
   * @param skipped receives a line for each element that is not imported
   */
  DataImport(CommandContext context, Path file, Consumer<String> skipped) {
    this.context = context;
    this.file = file;
    this.skipped = skipped;
  }

  /** Receives the elements of a file. */
  private interface Visitor {
    void visit(DataKind kind, ObjectNode element, int chars);
  }

  /**
   * Imports the file.
   *
   * @return a summary
   * @throws ApiFailure if the file is not complete, in which case nothing is imported, or a request
   *     fails
   */
  String run() {
    read((each, element, size) -> {});
    read(this::add);
    flush();
    StringJoiner text = new StringJoiner(", ", "imported: ", "; skipped: " + skips);
    created.forEach((each, count) -> text.add(count + " " + each));
    return text.toString();
  }

  private void read(Visitor visitor) {
    int number = 0;
    Map<DataKind, Long> counts = new EnumMap<>(DataKind.class);
    try (BufferedReader in = Files.newBufferedReader(file)) {
      requireHeader(in.readLine());
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        number++;
        JsonNode element = parse(line, number + 1);
        String type = element.path(DataKind.TYPE).asString("");
        if (type.equals(DataKind.END)) {
          requireEnd(counts, element);
          return;
        }
        DataKind found = kindOf(type, number + 1);
        counts.merge(found, 1L, Long::sum);
        ((ObjectNode) element).remove(DataKind.TYPE);
        visitor.visit(found, (ObjectNode) element, line.length());
      }
    } catch (IOException e) {
      throw new ApiFailure(Kind.INVALID, "cannot read " + file + ": " + e);
    }
    throw incomplete("the last line is missing");
  }

  private JsonNode parse(String line, int number) {
    try {
      JsonNode element = Json.parse(line);
      if (element.isObject()) {
        return element;
      }
    } catch (JacksonException e) {
      // reported below
    }
    throw incomplete("line " + number + " is not a JSON object");
  }

  private DataKind kindOf(String type, int number) {
    for (DataKind each : DataKind.values()) {
      if (each.element().equals(type)) {
        return each;
      }
    }
    throw incomplete("line " + number + " has the unknown type '" + type + "'");
  }

  private void requireHeader(@Nullable String line) {
    JsonNode header = parse(line == null ? "" : line, 1);
    if (!header.path(DataKind.TYPE).asString("").equals(DataKind.HEADER)) {
      throw incomplete("the first line is not the header of an export");
    }
    int format = header.path("format").asInt(0);
    if (format != DataKind.FORMAT) {
      throw new ApiFailure(
          Kind.INVALID,
          "%s has format %d, but this program reads format %d; use a newer version"
              .formatted(file, format, DataKind.FORMAT));
    }
  }

  private void requireEnd(Map<DataKind, Long> counts, JsonNode end) {
    for (DataKind each : DataKind.values()) {
      long expected = end.path(each.toString()).asLong(0);
      long found = counts.getOrDefault(each, 0L);
      if (expected != found) {
        throw incomplete("the file has %d %s instead of %d".formatted(found, each, expected));
      }
    }
  }

  private ApiFailure incomplete(String reason) {
    return new ApiFailure(Kind.INVALID, "%s is not a complete export: %s".formatted(file, reason));
  }

  private void add(DataKind next, ObjectNode element, int size) {
    if (kind != next || batch.size() == next.maxBatch() || chars + size > MAX_BATCH_CHARS) {
      flush();
    }
    kind = next;
    chars += size;
    batch.add(element);
  }

  private void flush() {
    DataKind sent = kind;
    if (sent != null && !batch.isEmpty()) {
      send(sent, batch);
    }
    batch = Json.object().putArray("batch");
    chars = 0;
  }

  private void send(DataKind sent, ArrayNode elements) {
    try {
      post(sent, elements);
    } catch (ApiFailure failure) {
      if (failure.kind() != Kind.INVALID) {
        throw failure;
      } else if (elements.size() == 1) {
        skip(sent.nameOf(elements.get(0)) + ": " + failure.getMessage());
        return;
      }
      for (JsonNode element : elements) { // the others of a refused batch may be valid
        send(sent, Json.object().putArray("batch").add(element));
      }
    }
  }

  private void post(DataKind sent, ArrayNode elements) {
    JsonNode reply = context.api().post(sent.importPath(), elements).json();
    created.merge(sent, reply.path("created").asInt(0), Integer::sum);
    reply
        .path("existing")
        .forEach(name -> skip(sent.element() + " '" + name.asString("") + "' exists"));
    reply
        .path("refused")
        .forEach(
            name ->
                skip(
                    "%s '%s' has expired, is empty or exceeds a limit"
                        .formatted(sent.element(), name.asString(""))));
  }

  private void skip(String reason) {
    skips++;
    skipped.accept("skipped: " + reason);
  }
}
