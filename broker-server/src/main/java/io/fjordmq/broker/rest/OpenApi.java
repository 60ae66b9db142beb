package io.fjordmq.broker.rest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The OpenAPI 3.1 description of the operations, as a tree for the JSON writer. */
final class OpenApi {
  private static final String CONTENT = "application/json";
  private static final String TEXT = "text/plain";

  /** Errors that every operation can return, with their descriptions. */
  private static final Map<Integer, String> ALWAYS =
      Map.of(
          400, "A parameter or field is invalid; the message names it",
          500, "The request failed because of a bug",
          503, "The node cannot handle the request now",
          504, "The operation did not complete in time and may still complete");

  private static final Map<Integer, String> WITH_ROLE =
      Map.of(
          401, "The credentials are missing or invalid",
          403, "The role or tenant of the caller does not allow the operation",
          429, "Too many requests or failed logins");
  private static final Map<Integer, String> WITH_BODY =
      Map.of(413, "The body is too large", 415, "The body is not JSON");

  private final JsonSchemas schemas = new JsonSchemas();
  private final List<Operation> operations;
  private final String version;

  OpenApi(List<Operation> operations, String version) {
    this.operations = operations;
    this.version = version;
  }

  /** The whole description. */
  Map<String, Object> tree() {
    Map<String, Map<String, Object>> paths = new LinkedHashMap<>();
    for (Operation operation : operations) {
      paths
          .computeIfAbsent(operation.path(), path -> new LinkedHashMap<>())
          .put(operation.method().name().toLowerCase(Locale.ROOT), describe(operation));
    }
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("openapi", "3.1.0");
    tree.put(
        "info",
        JsonObject.of(
            "title",
            "FjordMQ",
            "version",
            version,
            "description",
            "API for administering a FjordMQ cluster. Any node answers for the whole cluster."));
    tree.put("servers", List.of(JsonObject.of("url", RestApi.BASE)));
    tree.put(
        "tags",
        operations.stream()
            .map(Operation::tag)
            .distinct()
            .map(tag -> JsonObject.of("name", tag))
            .toList());
    tree.put("paths", paths);
    Map<String, Object> components = new LinkedHashMap<>();
    components.put("schemas", schemas.named());
    components.put(
        "securitySchemes",
        JsonObject.of(
            "basic", JsonObject.of("type", "http", "scheme", "basic"),
            "bearer", JsonObject.of("type", "http", "scheme", "bearer")));
    tree.put("components", components);
    return tree;
  }

  private Map<String, Object> describe(Operation operation) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("operationId", operation.id());
    tree.put("tags", List.of(operation.tag()));
    tree.put("summary", operation.summary());
    String text = description(operation);
    if (!text.isEmpty()) {
      tree.put("description", text);
    }
    List<Object> parameters = new ArrayList<>();
    operation.pathParameters().forEach(parameter -> parameters.add(describe(parameter, "path")));
    operation.queryParameters().forEach(parameter -> parameters.add(describe(parameter, "query")));
    if (!parameters.isEmpty()) {
      tree.put("parameters", parameters);
    }
    operation
        .body()
        .ifPresent(
            body ->
                tree.put(
                    "requestBody",
                    JsonObject.of(
                        "required",
                        operation.isBodyRequired(),
                        "content",
                        content(schemas.ofBody(body)))));
    tree.put("responses", responses(operation));
    tree.put(
        "security",
        operation.role().isPresent()
            ? List.of(JsonObject.of("basic", List.of()), JsonObject.of("bearer", List.of()))
            : List.of());
    return tree;
  }

  /** The description, followed by the role that callers need. */
  static String description(Operation operation) {
    String role =
        operation
            .role()
            .map(needed -> "Requires the role `" + needed.name().toLowerCase(Locale.ROOT) + "`.")
            .orElse("Requires no credentials.");
    return operation.description().isEmpty() ? role : operation.description() + " " + role;
  }

  private Map<String, Object> describe(Parameter parameter, String in) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("name", parameter.name());
    tree.put("in", in);
    if (parameter.isRequired()) {
      tree.put("required", true);
    }
    tree.put("description", parameter.description());
    if (!parameter.example().isEmpty()) {
      tree.put("example", parameter.example());
    }
    Map<String, Object> schema = new LinkedHashMap<>(JsonSchemas.ofParameter(parameter.schema()));
    if (in.equals("path")) {
      schema.put("minLength", 1);
    }
    Object fallback = parameter.fallback();
    if (fallback != null) {
      schema.put("default", fallback);
    }
    tree.put("schema", parameter.isRepeatable() ? arrayOf(schema) : schema);
    return tree;
  }

  /** The order of {@code Map.of} differs between processes. */
  private static Map<String, Object> arrayOf(Map<String, Object> element) {
    Map<String, Object> array = new LinkedHashMap<>();
    array.put("type", "array");
    array.put("items", element);
    return array;
  }

  private Map<String, Object> responses(Operation operation) {
    Map<String, Object> responses = new TreeMap<>();
    for (Map.Entry<Integer, String> error : errors(operation).entrySet()) {
      responses.put(
          error.getKey().toString(),
          response(error.getValue(), schemas.of(SchemaReader.of(ErrorBody.class))));
    }
    for (Operation.DeclaredResponse declared : operation.responses()) {
      Schema schema = declared.schema();
      if (schema instanceof Schema.Text) {
        responses.put(
            String.valueOf(declared.status()),
            JsonObject.of(
                "description",
                declared.description(),
                "content",
                JsonObject.of(TEXT, JsonObject.of("schema", JsonObject.of("type", "string")))));
        continue;
      }
      responses.put(
          String.valueOf(declared.status()),
          schema == null
              ? JsonObject.of("description", declared.description())
              : response(
                  declared.description(),
                  declared.paged() ? schemas.ofPage(schema) : schemas.of(schema)));
    }
    return responses;
  }

  /** The errors that result from what the operation declares. */
  private static Map<Integer, String> errors(Operation operation) {
    Map<Integer, String> errors = new HashMap<>(ALWAYS);
    if (operation.role().isPresent()) {
      errors.putAll(WITH_ROLE);
    }
    if (operation.body().isPresent()) {
      errors.putAll(WITH_BODY);
    }
    return errors;
  }

  private static Map<String, Object> response(String description, Map<String, Object> schema) {
    return JsonObject.of("description", description, "content", content(schema));
  }

  private static Map<String, Object> content(Map<String, Object> schema) {
    return JsonObject.of(CONTENT, JsonObject.of("schema", schema));
  }
}
