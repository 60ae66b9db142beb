package io.fjordmq.broker.config;

/**
 * A value somebody gave.
 *
 * @param key dotted path as written, e.g. {@code clusterConfig.port}
 * @param text the value as written; empty if only the key is there
 * @param section true if the key opens a section (it has no value of its own)
 * @param origin where it stands, for messages, e.g. {@code conf/standalone.yml line 7}
 */
record Given(String key, String text, boolean section, String origin) {
  static Given value(String key, String text, String origin) {
    return new Given(key, text, false, origin);
  }

  static Given section(String key, String origin) {
    return new Given(key, "", true, origin);
  }
}
