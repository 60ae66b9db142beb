package io.fjordmq.broker.scenario;

import java.util.ArrayList;
import java.util.List;

/**
 * One line of a scenario: a word and what follows it.
 *
 * @param file of the scenario
 * @param line from 1
 * @param words at least one
 */
record Statement(String file, int line, List<String> words) {

  /** Splits at blanks outside of quotes and removes the quotes. */
  static Statement parse(String file, int line, String text) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean quoted = false;
    for (char c : text.strip().toCharArray()) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ' ' && !quoted) {
        add(words, word);
      } else {
        word.append(c);
      }
    }
    if (quoted) {
      throw new ScenarioException(file, line, "a quote is not closed");
    }
    add(words, word);
    return new Statement(file, line, List.copyOf(words));
  }

  private static void add(List<String> words, StringBuilder word) {
    if (!word.isEmpty()) {
      words.add(word.toString());
      word.setLength(0);
    }
  }

  String verb() {
    return words.get(0);
  }

  /** The client it is about: the second word. */
  String client() {
    if (words.size() < 2 || words.get(1).contains("=")) {
      throw fault(verb() + " of which client?");
    }
    return words.get(1);
  }

  /** What follows verb and client. */
  Options options() {
    return new Options(this, words.subList(2, words.size()));
  }

  /** What follows the verb. */
  List<String> rest() {
    return words.subList(1, words.size());
  }

  ScenarioException fault(String message) {
    return new ScenarioException(file, line, message);
  }

  @Override
  public String toString() {
    return String.join(" ", words);
  }
}
