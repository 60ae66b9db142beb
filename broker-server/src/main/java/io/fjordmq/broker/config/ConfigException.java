package io.fjordmq.broker.config;

import java.util.List;

/** Thrown if the configuration is invalid. Each problem is one line for the operator. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<String> problems;

  /**
   * @param problems not empty; each problem names the key, the origin of its value, and the remedy
   */
  public ConfigException(List<String> problems) {
    super(String.join(System.lineSeparator(), problems));
    this.problems = List.copyOf(problems);
  }

  public List<String> problems() {
    return problems;
  }
}
