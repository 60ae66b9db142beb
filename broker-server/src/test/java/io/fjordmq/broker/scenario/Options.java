package io.fjordmq.broker.scenario;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The {@code name=value} words of a statement. Each must be consumed. */
final class Options {
  private record Option(String name, String value) {}

  private final Statement statement;
  private final ArrayDeque<Option> remaining = new ArrayDeque<>();

  Options(Statement statement, List<String> words) {
    this.statement = statement;
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw statement.fault("not name=value: " + word);
      }
      remaining.add(new Option(word.substring(0, equals), word.substring(equals + 1)));
    }
  }

  private Options(Statement statement) {
    this.statement = statement;
  }

  Optional<String> text(String name) {
    for (Option option : remaining) {
      if (option.name.equals(name)) {
        remaining.remove(option);
        return Optional.of(option.value);
      }
    }
    return Optional.empty();
  }

  String text(String name, String otherwise) {
    return text(name).orElse(otherwise);
  }

  int number(String name, int otherwise) {
    return text(name).map(this::parse).orElse(otherwise);
  }

  int number(String name) {
    return text(name)
        .map(this::parse)
        .orElseThrow(() -> statement.fault(statement.verb() + " needs " + name + "="));
  }

  boolean flag(String name) {
    int value = number(name, 0);
    if (value > 1) {
      throw statement.fault(name + " is 0 or 1");
    }
    return value == 1;
  }

  private int parse(String value) {
    try {
      return (int) Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw statement.fault("not a number: " + value);
    }
  }

  /** A number in hexadecimal, as reason codes are written. */
  int code(String name) {
    String value = text(name, "0");
    try {
      return Integer.parseInt(value, 16);
    } catch (NumberFormatException e) {
      throw statement.fault("not a code in hexadecimal: " + value);
    }
  }

  /** Removes the first {@code name=} and the options after it, which belong to it. */
  Optional<Options> group(String name) {
    Options group = new Options(statement);
    List<Option> before = new ArrayList<>();
    while (!remaining.isEmpty() && !remaining.peek().name.equals(name)) {
      before.add(remaining.remove());
    }
    while (!remaining.isEmpty()
        && (group.remaining.isEmpty() || !remaining.peek().name.equals(name))) {
      group.remaining.add(remaining.remove());
    }
    for (int i = before.size() - 1; i >= 0; i--) {
      remaining.addFirst(before.get(i));
    }
    return group.remaining.isEmpty() ? Optional.empty() : Optional.of(group);
  }

  /** The properties among the options, in their order, as bytes. */
  String properties() {
    StringBuilder hex = new StringBuilder();
    for (Option option : List.copyOf(remaining)) {
      Property property = Property.named(option.name);
      if (property != null) {
        remaining.remove(option);
        try {
          hex.append(property.encode(option.value));
        } catch (IllegalArgumentException e) {
          throw statement.fault(option.name + ": " + e.getMessage());
        }
      }
    }
    return hex.toString();
  }

  /** Fails if a word is left, because nothing would check it. */
  void requireAllConsumed() {
    Option option = remaining.peek();
    if (option != null) {
      throw statement.fault(statement.verb() + " has no " + option.name + "=");
    }
  }
}
