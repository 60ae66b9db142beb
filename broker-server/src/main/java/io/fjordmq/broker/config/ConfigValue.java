package io.fjordmq.broker.config;

/**
 * A configured value.
 *
 * @param key dotted path as written, e.g. {@code clusterConfig.port}; the elements of a list of
 *     sections are numbered from 0: {@code mqttServerConfig.tlsListener.1.port}
 * @param text the value as written, with the values of a list separated by commas; empty if the key
 *     has no value
 * @param kind whether the value is a single value, a list or a section
 * @param origin where the value was set, for messages, e.g. {@code conf/standalone.yml line 7}
 */
record ConfigValue(String key, String text, Kind kind, String origin) {
  /** The kind of value of a key. */
  enum Kind {
    /** A single value. */
    VALUE,
    /** Several values. */
    LIST,
    /** Nested keys; possibly none. */
    SECTION
  }

  static ConfigValue value(String key, String text, String origin) {
    return new ConfigValue(key, text, Kind.VALUE, origin);
  }

  static ConfigValue list(String key, String text, String origin) {
    return new ConfigValue(key, text, Kind.LIST, origin);
  }

  static ConfigValue section(String key, String origin) {
    return new ConfigValue(key, "", Kind.SECTION, origin);
  }

  boolean section() {
    return kind == Kind.SECTION;
  }
}
