package io.fjordmq.broker.rest;

import java.math.BigInteger;
import java.time.DateTimeException;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Checks JSON values against their schema. Messages begin with the path of the invalid value. */
final class JsonCheck {
  private static final String TIME = "a time such as 2026-01-31T12:00:00Z";

  /** Beyond this number, doubles do not distinguish all whole numbers. */
  private static final double MAX_EXACT_DOUBLE = 1L << 53;

  /**
   * Checks a value.
   *
   * @param path the path of the value, such as {@code clients[2].name}; empty for the whole body
   * @throws ApiException 400 if the value is invalid
   */
  void check(String path, JsonNode value, Schema schema) {
    if (schema instanceof Schema.Text text) {
      checkText(path, value, text);
    } else if (schema instanceof Schema.Ruled ruled) {
      require(value.isString(), path, "a string", value);
      obey(path, value.asString(), ruled.rule());
    } else if (schema instanceof Schema.Scalar scalar) {
      if (!value.isNumber() && !value.isBoolean()) {
        require(value.isString(), path, "a string, number or boolean", value);
        checkText(path, value, new Schema.Text(0, scalar.maxLength(), ""));
      }
    } else if (schema instanceof Schema.Time) {
      require(isTime(value), path, TIME, value);
    } else if (schema instanceof Schema.TimeOrWord either) {
      boolean valid = value.isString() && isTimeOr(either.word(), value.asString());
      require(valid, path, TIME + ", or " + either.word(), value);
    } else if (schema instanceof Schema.Whole range) {
      checkWhole(path, value, range);
    } else if (schema instanceof Schema.Decimal) {
      require(value.isNumber(), path, "a number", value);
    } else if (schema instanceof Schema.Flag) {
      require(value.isBoolean(), path, "true or false", value);
    } else if (schema instanceof Schema.Choice choice) {
      require(
          value.isString() && choice.words().contains(value.asString()),
          path,
          "one of " + String.join(", ", choice.words()),
          value);
    } else if (schema instanceof Schema.Items items) {
      checkItems(path, value, items);
    } else if (schema instanceof Schema.Entries entries) {
      require(value.isObject(), path, "an object", value);
      for (Map.Entry<String, JsonNode> entry : value.properties()) {
        if (entries.value() instanceof Schema.Ruled ruled) {
          obey(path, entry.getKey(), ruled.rule());
        }
        check(path + "." + entry.getKey(), entry.getValue(), entries.value());
      }
    } else if (schema instanceof Schema.Structure structure) {
      checkStructure(path, value, structure);
    }
  }

  private static void checkText(String path, JsonNode value, Schema.Text limits) {
    require(value.isString(), path, "a string", value);
    String text = value.asString();
    int length = text.codePointCount(0, text.length());
    if (length < limits.minLength() || length > limits.maxLength()) {
      throw ApiException.badRequest(
          "%s must have %s characters, not %d"
              .formatted(name(path), range(limits.minLength(), limits.maxLength()), length));
    }
    require(
        limits.pattern().isEmpty() || Pattern.matches(limits.pattern(), text),
        path,
        "a string that matches " + limits.pattern(),
        value);
  }

  private static void obey(String path, String text, TextRule rule) {
    rule.fault(text)
        .ifPresent(
            fault -> {
              throw ApiException.badRequest(name(path) + ": " + fault);
            });
  }

  private static String range(int min, int max) {
    if (max == Integer.MAX_VALUE) {
      return "at least " + min;
    }
    return min == 0 ? "at most " + max : min + " to " + max;
  }

  private static boolean isTimeOr(String word, String text) {
    try {
      return text.equals(word) || Rfc3339.parse(text) != null;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static boolean isTime(JsonNode value) {
    try {
      return value.isString() && Rfc3339.parse(value.asString()) != null;
    } catch (DateTimeException e) {
      return false;
    }
  }

  /** In JSON Schema, 1.0 is a whole number. */
  private static void checkWhole(String path, JsonNode value, Schema.Whole range) {
    boolean valid;
    if (value.isIntegralNumber()) {
      BigInteger number = value.bigIntegerValue();
      valid =
          number.compareTo(BigInteger.valueOf(range.min())) >= 0
              && number.compareTo(BigInteger.valueOf(range.max())) <= 0;
    } else {
      double number = value.isNumber() ? value.doubleValue() : Double.NaN;
      valid =
          number == Math.rint(number)
              && Math.abs(number) <= MAX_EXACT_DOUBLE
              && number >= range.min()
              && number <= range.max();
    }
    require(valid, path, "a whole number from %d to %d".formatted(range.min(), range.max()), value);
  }

  private void checkItems(String path, JsonNode value, Schema.Items items) {
    require(value.isArray(), path, "a list", value);
    if (value.size() < items.minLength() || value.size() > items.maxLength()) {
      throw ApiException.badRequest(
          "%s must have %s elements, not %d"
              .formatted(name(path), range(items.minLength(), items.maxLength()), value.size()));
    }
    for (int i = 0; i < value.size(); i++) {
      check(path + "[" + i + "]", value.get(i), items.element());
    }
  }

  private void checkStructure(String path, JsonNode value, Schema.Structure structure) {
    require(value.isObject(), path, "an object", value);
    Map<String, Schema.Member> members =
        structure.members().stream()
            .collect(Collectors.toMap(Schema.Member::name, Function.identity()));
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      Schema.Member member = members.get(entry.getKey());
      if (member == null) {
        throw ApiException.badRequest(
            "%s is not a known field%s"
                .formatted(
                    Excerpt.of(child(path, entry.getKey())),
                    NearestName.hint(entry.getKey(), members.keySet())));
      }
      check(child(path, member.name()), entry.getValue(), member.schema());
    }
    for (Schema.Member member : structure.members()) {
      if (member.required() && !value.has(member.name())) {
        throw ApiException.badRequest(child(path, member.name()) + " is missing");
      }
    }
  }

  private static String child(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private static String name(String path) {
    return path.isEmpty() ? "the body" : Excerpt.of(path);
  }

  private static void require(boolean valid, String path, String expected, JsonNode found) {
    if (!valid) {
      throw ApiException.badRequest(
          "%s must be %s, not %s".formatted(name(path), expected, describe(found)));
    }
  }

  private static String describe(JsonNode found) {
    if (found.isObject()) {
      return "an object";
    }
    if (found.isArray()) {
      return "a list";
    }
    return found.isString()
        ? "'" + Excerpt.of(found.asString()) + "'"
        : Excerpt.of(found.toString());
  }
}
