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

  /** The directive as written. */
  String text() {
    return value.isEmpty() ? name : name + " " + value;
  }
}
