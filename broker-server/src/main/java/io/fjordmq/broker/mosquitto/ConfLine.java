package io.fjordmq.broker.mosquitto;

/**
 * A line of mosquitto.conf.
 *
 * @param file the name of the file
 * @param number the number of the line, from 1
 * @param name the directive
 * @param value the rest of the line; may be empty
 */
record ConfLine(String file, int number, String name, String value) {
  /** Where the line is, for messages. */
  String where() {
    return file + " line " + number;
  }

  /** The directive as written, for messages; without a value that may be a secret. */
  String text() {
    if (value.isEmpty()) {
      return name;
    }
    return name + " " + (mayBeSecret() ? "(hidden)" : value);
  }

  /** Plugins choose their options, and store passwords of databases and tokens in them. */
  private boolean mayBeSecret() {
    boolean isFile = name.endsWith("file");
    return (!isFile && (name.contains("password") || name.contains("psk")))
        || name.startsWith("plugin_opt_")
        || name.startsWith("auth_opt_");
  }
}
