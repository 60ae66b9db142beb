package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import java.util.Locale;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/**
 * What a file of JSON lines contains. Its first line is the header, its last line has the number of
 * elements of each kind; every object has the field {@code type}. docs/BACKUP.md describes the
 * fields.
 */
enum DataKind {
  SESSIONS("session", "sessions", ApiPath.of("import", "sessions"), 20),
  RETAINED("retained", "retained", ApiPath.of("import", "retained"), 100),
  USERS(
      "user",
      "mqtt_users",
      ApiPath.of("authentication", MqttUsersCommand.DATABASE, "import_users"),
      100);

  static final String TYPE = "type";
  static final String HEADER = "fjordmq-export";
  static final String END = "end";
  static final int FORMAT = 1;

  private final String element;
  private final String path;
  private final ApiPath importPath;
  private final int maxBatch;

  DataKind(String element, String path, ApiPath importPath, int maxBatch) {
    this.element = element;
    this.path = path;
    this.importPath = importPath;
    this.maxBatch = maxBatch;
  }

  /** The type of its lines. */
  String element() {
    return element;
  }

  /** The segment of its path below {@code /export}. */
  String path() {
    return path;
  }

  /** Where its elements are imported. */
  ApiPath importPath() {
    return importPath;
  }

  /** Elements that a node creates within the time limit of a request. */
  int maxBatch() {
    return maxBatch;
  }

  /** The name of an element, for messages. */
  String nameOf(JsonNode line) {
    String field =
        switch (this) {
          case SESSIONS -> "clientid";
          case RETAINED -> "topic";
          case USERS -> "user_id";
        };
    return element + " '" + line.path(field).asString("") + "'";
  }

  /** The numbers in the last line of a file, for people. */
  static String counts(JsonNode end) {
    StringJoiner text = new StringJoiner(", ");
    for (DataKind kind : values()) {
      if (end.has(kind.toString())) {
        text.add(end.path(kind.toString()).asLong() + " " + kind);
      }
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
