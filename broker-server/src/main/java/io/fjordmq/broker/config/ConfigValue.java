package io.fjordmq.broker.config;

/**
 * A value somebody gave.
 *
 * @param key dotted path as written, e.g. {@code clusterConfig.port}; the elements of a list of
 *     sections are numbered from 0: {@code mqttServerConfig.tlsListener.1.port}
 * @param text the value as written, those of a list separated by commas; empty if only the key is
 *     there
 * @param form what stands after the key
 * @param origin where it stands, for messages, e.g. {@code conf/standalone.yml line 7}
 */
record ConfigValue(String key, String text, Form form, String origin) {
  /** What stands after a key. */
  enum Form {
    /** One value. */
    VALUE,
    /** Several values. */
    LIST,
    /** Keys of its own, or nothing: it has no value. */
    SECTION
  }

  static ConfigValue value(String key, String text, String origin) {
    return new ConfigValue(key, text, Form.VALUE, origin);
  }

  static ConfigValue list(String key, String text, String origin) {
    return new ConfigValue(key, text, Form.LIST, origin);
  }

  static ConfigValue section(String key, String origin) {
    return new ConfigValue(key, "", Form.SECTION, origin);
  }

  boolean section() {
    return form == Form.SECTION;
  }
}
